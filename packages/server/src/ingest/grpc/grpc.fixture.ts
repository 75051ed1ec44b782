import { connect, type ClientHttp2Session } from 'node:http2';
import { createBuilder } from '../../../test/fixture/otlp-decode.ts';
import { NodeError } from '../../base/errors.ts';
import type { IngestRequest } from '../../pipeline/index.ts';
import { decompress, InflightBudget, type IngestPort } from '../http/index.ts';
import { otlpExportMethod, otlpProtocol } from '../otlp/index.ts';
import { GrpcListener, type GrpcListenerOptions } from './index.ts';

/** Decodes as the ingest worker does, and keeps the requests. */
class RecordingPort implements IngestPort {
  readonly requests: IngestRequest[] = [];
  isFull = false;
  /** Awaited before a request is answered. */
  gate: Promise<void> = Promise.resolve();

  isAccepting(): boolean {
    return !this.isFull;
  }

  async submit(request: IngestRequest) {
    this.requests.push(request);
    await this.gate;
    try {
      const encoding = request.headers['content-encoding'];
      const body = decompress(request.body, encoding, request.maxBodyBytes);
      const decoded = otlpProtocol.decode(request, body, createBuilder());
      const { received, stored, deduplicated, rejected } = decoded;
      return { received, stored, deduplicated, rejected, reply: decoded.reply() };
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      const nothing = { received: 0, stored: 0, deduplicated: 0, rejected: {} };
      const reply = otlpProtocol.replyToError(error, request);
      return { ...nothing, reply, requestError: error.code };
    }
  }
}

export interface TestListener extends AsyncDisposable {
  readonly listener: GrpcListener;
  readonly port: RecordingPort;
  readonly budget: InflightBudget;
  readonly session: ClientHttp2Session;
}

export async function openTestListener(
  options: Partial<GrpcListenerOptions> = {},
): Promise<TestListener> {
  const port = new RecordingPort();
  const budget = options.budget ?? new InflightBudget(64 << 20);
  const listener = await GrpcListener.open({
    name: 'otlp_grpc',
    address: { host: '127.0.0.1', port: 0 },
    method: otlpExportMethod,
    port,
    budget,
    tokens: [],
    tenant: 'default',
    log: { info() {}, error() {} },
    ...options,
  });
  const scheme = options.tls === undefined ? 'http' : 'https';
  const session = connect(`${scheme}://127.0.0.1:${listener.address.port}`, {
    rejectUnauthorized: false,
  });
  session.on('error', () => {});
  return {
    listener,
    port,
    budget,
    session,
    async [Symbol.asyncDispose]() {
      session.destroy();
      await listener.close(0);
    },
  };
}
