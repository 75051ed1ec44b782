import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { readTlsMaterial, type TlsFiles } from '../../base/tls-material.ts';
import type { IngestRequest, Protocol } from '../../pipeline/index.ts';
import {
  bodyTooLarge,
  type InflightBudget,
  type IngestListener,
  type IngestPort,
  type ListenerAccount,
  ListenerLedger,
  type ListenerLog,
  RequestGate,
  standardSecrets,
  tenantOf,
  tooManyBytesInFlight,
} from '../http/index.ts';
import { endCall, endCallWith, endRequest, headerOf, isGrpcType, isKnownEncoding } from './call.ts';
import { timeoutMsOf } from './deadline.ts';
import { checkHealth, healthCheckPath, maxHealthMessageBytes } from './health-service.ts';
import { receiveMessage } from './receive.ts';
import {
  connectionWindowBytes,
  maxConnections,
  serverOptions,
  tlsOptions,
} from './server-options.ts';
import { SessionGuard, type SessionTimeouts } from './session-guard.ts';
import { GrpcError, grpcCode, type GrpcStatus, statusOfReply } from './status.ts';
import { type ReceivedMessage, UnaryFrame } from './unary-frame.ts';

/** A unary method whose message goes to the ingest worker as if it had come over HTTP. */
export interface IngestMethod {
  /** `/package.Service/Method` */
  readonly path: string;
  /** Its error replies are google.rpc.Status messages. */
  readonly protocol: Pick<Protocol, 'name' | 'replyToError'>;
  /** The HTTP path and type under which the protocol takes the message. */
  readonly requestPath: string;
  readonly contentType: string;
  /** Limit of a message, both compressed and decompressed. */
  readonly maxMessageBytes: number;
}

export interface GrpcTimeouts extends SessionTimeouts {
  /** From the first byte of a call to the end of its message. */
  readonly requestMs: number;
  /** Without any byte of a message that is due. */
  readonly messageIdleMs: number;
}

export interface GrpcListenerOptions {
  /** Name in the ledger, `otlp_grpc`; also the source of events that name none. */
  readonly name: string;
  readonly address: { readonly host: string; readonly port: number };
  readonly method: IngestMethod;
  readonly port: IngestPort;
  readonly budget: InflightBudget;
  /** Empty: no authentication. */
  readonly tokens: readonly Secret[];
  /** Tenant of calls that name none. */
  readonly tenant: string;
  /** Without it the port speaks cleartext HTTP/2 with prior knowledge. */
  readonly tls?: TlsFiles | undefined;
  readonly log: ListenerLog;
  readonly clock?: Clock;
  readonly timeouts?: Partial<GrpcTimeouts>;
}

const defaultTimeouts: GrpcTimeouts = {
  requestMs: 300_000,
  messageIdleMs: 30_000,
  pingMs: 60_000,
  pingAnswerMs: 20_000,
  idleMs: 15 * 60_000,
};

const probePaths = new Set(['/', '/health', '/ready']);

interface Call {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
}

/**
 * One port that takes unary calls over HTTP/2 (gRPC over HTTP/2, github.com/grpc/grpc, PROTOCOL-HTTP2). Decides on a
 * call by its headers and the length of its message before the message is read, as `HttpListener` does, out of the
 * same budget; the ingest worker decompresses and decodes.
 */
export class GrpcListener implements IngestListener {
  readonly #options: GrpcListenerOptions;
  readonly #clock: Clock;
  readonly #timeouts: GrpcTimeouts;
  readonly #gate: RequestGate;
  readonly #ledger = new ListenerLedger();
  readonly #server: Http2Server | Http2SecureServer;
  readonly #sessions = new Map<Http2Session, SessionGuard>();
  readonly #services: ReadonlySet<string>;

  private constructor(options: GrpcListenerOptions, server: Http2Server | Http2SecureServer) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
    this.#gate = new RequestGate(options);
    this.#services = new Set([options.method.path.split('/')[1] ?? '']);
    this.#server = server;
    server.maxConnections = maxConnections;
    server.on('session', (session: ServerHttp2Session) => this.#greet(session));
    server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      this.#start({ stream, headers });
    });
    // Port scanners and broken peers; their connection is closed already.
    server.on('sessionError', () => {});
  }

  /** Resolves when the port is bound; rejects when it cannot be. */
  static async open(options: GrpcListenerOptions): Promise<GrpcListener> {
    const { tls, name, address } = options;
    const server =
      tls === undefined
        ? createServer(serverOptions)
        : createSecureServer({ ...serverOptions, ...tlsOptions, ...(await readTlsMaterial(tls)) });
    const listener = new GrpcListener(options, server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.port, address.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    options.log.info({ listener: name, ...listener.address }, 'listening');
    return listener;
  }

  get address(): { readonly host: string; readonly port: number } {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  account(): ListenerAccount {
    return this.#ledger.account(this.#options.name, this.#gate.isAccepting);
  }

  async reloadTls(): Promise<void> {
    const { tls } = this.#options;
    if (tls === undefined || !('setSecureContext' in this.#server)) return;
    this.#server.setSecureContext(await readTlsMaterial(tls));
  }

  /** Tells every peer to go away, answers the calls in flight, then closes, at the latest after `graceMs`. */
  async close(graceMs = 10_000): Promise<void> {
    if (this.#gate.isDraining) return;
    this.#gate.drain();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const session of this.#sessions.keys()) session.close();
    const cancel = this.#clock.after(graceMs, () => {
      for (const session of this.#sessions.keys()) session.destroy();
    });
    await closed;
    cancel();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #greet(session: ServerHttp2Session): void {
    this.#sessions.set(session, new SessionGuard(session, this.#timeouts, this.#clock));
    session.on('error', () => {});
    session.once('close', () => this.#sessions.delete(session));
    if (this.#gate.isDraining) {
      session.close();
      return;
    }
    session.setLocalWindowSize(connectionWindowBytes);
  }

  #start(call: Call): void {
    const { stream } = call;
    // A caller that went away is seen by the reader of the message; writing to it must not be an error.
    stream.on('error', () => {});
    const guard = stream.session === undefined ? undefined : this.#sessions.get(stream.session);
    guard?.noteCall();
    stream.once('close', () => guard?.noteEndOfCall());
    this.#serve(call).catch((error: unknown) => {
      this.#options.log.error({ listener: this.#options.name, err: error }, 'call failed');
      stream.destroy();
    });
  }

  async #serve(call: Call): Promise<void> {
    const { stream, headers } = call;
    const path = headerOf(headers, ':path') ?? '';
    if (!isGrpcType(headerOf(headers, 'content-type'))) {
      this.#answerRequest(call, path);
      return;
    }
    try {
      if (path === healthCheckPath) {
        await this.#check(call);
      } else {
        this.#ledger.noteRequest();
        await this.#ingest(call, path);
      }
    } catch (error) {
      endCall(stream, this.#statusOfError(error));
    }
  }

  /** Load balancers probe every port, some of them with HTTP/2. */
  #answerRequest({ stream, headers }: Call, path: string): void {
    const method = headerOf(headers, ':method');
    if (probePaths.has(path) && (method === 'GET' || method === 'HEAD')) {
      const { isDraining } = this.#gate;
      const text = isDraining ? 'stopping\n' : 'ok\n';
      endRequest(stream, isDraining ? 503 : 200, method === 'HEAD' ? '' : text);
    } else {
      endRequest(stream, 415, 'this port takes gRPC calls: send application/grpc\n');
    }
  }

  async #check({ stream, headers }: Call): Promise<void> {
    const frame = new UnaryFrame((bytes) => {
      if (bytes > maxHealthMessageBytes) throw bodyTooLarge(maxHealthMessageBytes);
    });
    const received = await this.#receive({ stream, headers }, frame);
    if (received === undefined) return;
    const isServing = !this.#gate.isDraining;
    const { message, isCompressed } = received;
    if (isCompressed) throw unsupportedEncoding();
    endCallWith(stream, checkHealth(message, { services: this.#services, isServing }));
  }

  async #ingest(call: Call, path: string): Promise<void> {
    const { stream, headers } = call;
    const { method, port, name } = this.#options;
    if (path !== method.path) {
      const text = `this port takes ${method.path} only`;
      throw new GrpcError(grpcCode.unimplemented, 'request_not_found', text);
    }
    this.#gate.authenticate(standardSecrets(headerOf(headers, 'authorization')));
    const tenant = tenantOf(headerOf(headers, 'x-scope-orgid'), this.#options.tenant);
    const encoding = headerOf(headers, 'grpc-encoding') ?? 'identity';
    if (!isKnownEncoding(encoding)) throw unsupportedEncoding();
    const { maxMessageBytes } = method;
    const reservation = this.#gate.admit(undefined, maxMessageBytes);
    try {
      const frame = new UnaryFrame((bytes) => {
        const limitBytes = Math.min(maxMessageBytes, reservation.limitBytes);
        if (bytes > limitBytes) throw bodyTooLarge(limitBytes);
        if (!reservation.grow(bytes)) throw tooManyBytesInFlight(reservation.limitBytes);
      });
      const received = await this.#receive(call, frame);
      if (received === undefined) {
        this.#ledger.noteDisconnect();
        return;
      }
      const outcome = await port.submit({
        ...requestHead(method),
        listener: name,
        tenant,
        headers: { 'content-type': method.contentType, ...encodingHeader(received, encoding) },
        body: received.message,
      });
      this.#ledger.noteOutcome(outcome, this.#clock.nowMs());
      const { reply } = outcome;
      if (reply.status === 200) {
        endCallWith(stream, Buffer.from(reply.body));
      } else {
        endCall(stream, statusOfReply(reply));
      }
    } finally {
      reservation.release();
    }
  }

  #receive({ stream, headers }: Call, frame: UnaryFrame): Promise<ReceivedMessage | undefined> {
    return receiveMessage(stream, frame, {
      idleTimeoutMs: this.#timeouts.messageIdleMs,
      timeoutMs: Math.min(this.#timeouts.requestMs, timeoutMsOf(headerOf(headers, 'grpc-timeout'))),
      clock: this.#clock,
    });
  }

  #statusOfError(error: unknown): GrpcStatus {
    const { method, name, log } = this.#options;
    const nodeError =
      error instanceof NodeError
        ? error
        : new NodeError('node_internal', 'the call could not be processed', { cause: error });
    if (nodeError.code === 'node_internal')
      log.error({ listener: name, err: error }, 'call failed');
    this.#ledger.noteRejectedRequest(nodeError.code);
    const { message } = nodeError;
    if (nodeError instanceof GrpcError) return { code: nodeError.grpcCode, message };
    const head = { ...requestHead(method), listener: name, tenant: this.#options.tenant };
    const headers = { 'content-type': method.contentType };
    return statusOfReply(method.protocol.replyToError(nodeError, { ...head, headers }));
  }
}

type RequestHead = Pick<IngestRequest, 'protocol' | 'method' | 'path' | 'query' | 'maxBodyBytes'>;

function requestHead({ protocol, requestPath, maxMessageBytes }: IngestMethod): RequestHead {
  return {
    protocol: protocol.name,
    method: 'POST',
    path: requestPath,
    query: '',
    maxBodyBytes: maxMessageBytes,
  };
}

function encodingHeader({ isCompressed }: ReceivedMessage, encoding: string): object {
  if (!isCompressed) return {};
  if (encoding !== 'identity') return { 'content-encoding': encoding };
  const text = 'a compressed message needs a grpc-encoding';
  throw new GrpcError(grpcCode.internal, 'ingest_malformed_body', text);
}

function unsupportedEncoding(): GrpcError {
  const text = 'messages of this grpc-encoding cannot be read; use one of grpc-accept-encoding';
  return new GrpcError(grpcCode.unimplemented, 'request_unsupported_media_type', text);
}
