import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type ErrorCode, errorCodes } from '@varve/contract';
import { type Clock, systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import {
  minTlsVersion,
  readTlsMaterial,
  type TlsFiles,
  type TlsMaterial,
} from '../../base/tls-material.ts';
import type { IngestReply } from '../../pipeline/index.ts';
import { readBody } from './body-reader.ts';
import { standardSecrets } from './credentials.ts';
import type { HttpEndpoint, RequestHead, Route, RouteInput } from './endpoint.ts';
import type { InflightBudget } from './inflight-budget.ts';
import type { IngestListener } from './ingest-listener.ts';
import type { IngestPort } from './ingest-port.ts';
import { type ListenerAccount, ListenerLedger } from './listener-ledger.ts';
import { writeEarlyReply, writeReply } from './reply-writer.ts';
import { RequestGate } from './request-gate.ts';
import { normalPrefix, parseTarget } from './request-path.ts';
import { tenantOf } from './tenant.ts';

export interface HttpTimeouts {
  /** From the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestMs: number;
  /** Without any byte of a body that is due. */
  readonly bodyIdleMs: number;
  /** Between two requests; longer than the idle time of common load balancers (60 s), so that they close first. */
  readonly keepAliveMs: number;
}

const defaultTimeouts: HttpTimeouts = {
  headersMs: 15_000,
  requestMs: 300_000,
  bodyIdleMs: 30_000,
  keepAliveMs: 75_000,
};

const maxHeaderBytes = 32 * 1024;
const maxConnections = 8192;
const handshakeTimeout = 15_000;
const defaultRetryAfterSecs = 2;

export interface ListenerLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface HttpListenerOptions {
  /** Name in the ledger, `bulk`; also the source of events that name none. */
  readonly name: string;
  readonly address: { readonly host: string; readonly port: number };
  /** The first one that knows a path takes it; also, the first one words the errors of unknown paths. */
  readonly endpoints: readonly [HttpEndpoint, ...HttpEndpoint[]];
  readonly port: IngestPort;
  readonly budget: InflightBudget;
  /** Empty: no authentication. */
  readonly tokens: readonly Secret[];
  /** Tenant of requests that name none. */
  readonly tenant: string;
  readonly pathPrefix?: string;
  /** With it the port speaks HTTPS only. */
  readonly tls?: TlsFiles | undefined;
  readonly log: ListenerLog;
  readonly clock?: Clock;
  readonly timeouts?: Partial<HttpTimeouts>;
}

interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  /** The sender waits for 100 before it sends the body. */
  readonly isExpecting: boolean;
}

interface Routed {
  readonly endpoint: HttpEndpoint;
  readonly route: Route;
}

const probePaths = new Set(['/', '/health', '/ready']);

/** Headers that the ingest worker has no use for, and that should not travel. */
const withheldHeaders = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-amz-firehose-access-key',
]);

/**
 * One port that takes ingest requests over HTTP. Decides on a request by its head alone (path, credentials,
 * tenant, size, back-pressure) before a byte of its body is read; then reads the body, hands it to the ingest
 * worker and writes that one's answer. Nothing here decompresses or parses.
 */
export class HttpListener implements IngestListener {
  readonly #options: HttpListenerOptions;
  readonly #clock: Clock;
  readonly #timeouts: HttpTimeouts;
  readonly #prefix: string;
  readonly #gate: RequestGate;
  readonly #ledger = new ListenerLedger();
  readonly #server: Server | TlsServer;

  private constructor(options: HttpListenerOptions, tls: TlsMaterial | undefined) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts };
    this.#prefix = normalPrefix(options.pathPrefix ?? '');
    this.#gate = new RequestGate(options);
    const settings = {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: this.#timeouts.headersMs,
      requestTimeout: this.#timeouts.requestMs,
      keepAliveTimeout: this.#timeouts.keepAliveMs,
      connectionsCheckingInterval: Math.min(5000, this.#timeouts.headersMs),
      noDelay: true,
    };
    this.#server =
      tls === undefined
        ? createServer(settings)
        : createTlsServer({ ...settings, ...tls, handshakeTimeout, minVersion: minTlsVersion });
    this.#server.maxConnections = maxConnections;
    this.#server.on('request', (message, response) => this.#start(message, response, false));
    this.#server.on('checkContinue', (message, response) => this.#start(message, response, true));
    this.#server.on('clientError', answerClientError);
  }

  /** Resolves when the port is bound; rejects when it cannot be. */
  static async open(options: HttpListenerOptions): Promise<HttpListener> {
    const { tls, name } = options;
    const material = tls === undefined ? undefined : await readTlsMaterial(tls);
    const listener = new HttpListener(options, material);
    const server = listener.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.address.port, options.address.host, () => {
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

  async close(graceMs = 10_000): Promise<void> {
    if (this.#gate.isDraining) return;
    this.#gate.drain();
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeIdleConnections();
    const cancel = this.#clock.after(graceMs, () => this.#server.closeAllConnections());
    await closed;
    cancel();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #start(message: IncomingMessage, response: ServerResponse, isExpecting: boolean): void {
    // A client that went away is seen by the reader of the body; writing to it must not be an error.
    response.on('error', () => {});
    const exchange = { message, response, isExpecting };
    this.#serve(exchange).catch((error: unknown) => {
      this.#options.log.error({ listener: this.#options.name, err: error }, 'request failed');
      response.destroy();
    });
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { message } = exchange;
    this.#ledger.noteRequest();
    const { path, query, isBelowPrefix } = parseTarget(message.url ?? '/', this.#prefix);
    const method = message.method ?? 'GET';
    const input: RouteInput = { method, path, query, headers: headersOf(message) };
    const routed = isBelowPrefix ? this.#route(input) : undefined;
    const endpoint = routed?.endpoint ?? this.#options.endpoints[0];
    const head: RequestHead = {
      ...input,
      protocol: endpoint.protocol.name,
      listener: this.#options.name,
      tenant: this.#options.tenant,
      maxBodyBytes: routed?.route.kind === 'ingest' ? routed.route.maxBodyBytes : 0,
    };
    try {
      if (routed === undefined) {
        this.#answerUnrouted(exchange, input);
      } else if (routed.route.kind === 'ingest') {
        await this.#ingest(exchange, endpoint, head);
      } else {
        this.#answerRoute(exchange, endpoint, { input, route: routed.route });
      }
    } catch (error) {
      this.#answerError(exchange, endpoint, { error, head });
    }
  }

  #route(input: RouteInput): Routed | undefined {
    for (const endpoint of this.#options.endpoints) {
      const route = endpoint.route(input);
      if (route !== undefined) return { endpoint, route };
    }
    return undefined;
  }

  /** Probes of load balancers come to every port and carry no credentials. */
  #answerUnrouted(exchange: Exchange, { method, path }: RouteInput): void {
    if (!probePaths.has(path))
      throw new NodeError('request_not_found', 'no such path on this port');
    if (method !== 'GET' && method !== 'HEAD') throw notAllowed(['GET', 'HEAD']);
    const status = this.#gate.isDraining ? 503 : 200;
    const word = path === '/ready' ? 'ready' : 'ok';
    const body = `${this.#gate.isDraining ? 'stopping' : word}\n`;
    this.#writeEarly(exchange, { status, headers: { 'content-type': 'text/plain' }, body });
  }

  #answerRoute(
    exchange: Exchange,
    endpoint: HttpEndpoint,
    { input, route }: { input: RouteInput; route: Exclude<Route, { kind: 'ingest' }> },
  ): void {
    if (route.kind === 'method_not_allowed') throw notAllowed(route.allow);
    if (route.isPublic !== true) this.#authenticate(endpoint, input);
    this.#writeEarly(exchange, route.reply, true);
  }

  async #ingest(exchange: Exchange, endpoint: HttpEndpoint, head: RequestHead): Promise<void> {
    const { message, response } = exchange;
    this.#authenticate(endpoint, head);
    const tenant = tenantOf(head.headers['x-scope-orgid'], this.#options.tenant);
    const contentLength = contentLengthOf(message);
    const reservation = this.#gate.admit(contentLength, head.maxBodyBytes);
    try {
      if (exchange.isExpecting) response.writeContinue();
      const body = await readBody(message, {
        contentLength,
        maxBodyBytes: head.maxBodyBytes,
        reservation,
        idleTimeoutMs: this.#timeouts.bodyIdleMs,
        clock: this.#clock,
      });
      if (body === undefined) {
        this.#ledger.noteDisconnect();
        return;
      }
      const headers = withoutSecrets(head.headers);
      const outcome = await this.#options.port.submit({ ...head, tenant, headers, body });
      this.#ledger.noteOutcome(outcome, this.#clock.nowMs());
      writeReply(response, withRetryAfter(outcome.reply, undefined), this.#gate.isDraining);
    } finally {
      reservation.release();
    }
  }

  #authenticate(endpoint: HttpEndpoint, input: RouteInput): void {
    this.#gate.authenticate([
      ...standardSecrets(input.headers['authorization']),
      ...(endpoint.secretsOf?.(input) ?? []),
    ]);
  }

  #answerError(
    exchange: Exchange,
    endpoint: HttpEndpoint,
    { error, head }: { error: unknown; head: RequestHead },
  ): void {
    const nodeError = error instanceof NodeError ? error : internalError(error);
    if (nodeError.code === 'node_internal') {
      this.#options.log.error({ listener: this.#options.name, err: error }, 'request failed');
    }
    this.#ledger.noteRejectedRequest(nodeError.code satisfies ErrorCode);
    const reply = endpoint.protocol.replyToError(nodeError, head);
    const allow = nodeError.details['allow'];
    const headers = Array.isArray(allow)
      ? { ...reply.headers, allow: allow.join(', ') }
      : reply.headers;
    this.#writeEarly(exchange, withRetryAfter({ ...reply, headers }, nodeError));
  }

  #writeEarly(exchange: Exchange, reply: IngestReply, isAfterBody = false): void {
    const options = { isLast: this.#gate.isDraining, isAfterBody, clock: this.#clock };
    writeEarlyReply(exchange, reply, options);
  }
}

function notAllowed(allow: readonly string[]): NodeError {
  return new NodeError('request_method_not_allowed', `use ${allow.join(' or ')} on this path`, {
    details: { allow },
  });
}

function internalError(cause: unknown): NodeError {
  return new NodeError('node_internal', 'the request could not be processed', { cause });
}

function headersOf(message: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}

function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !withheldHeaders.has(name)));
}

/** Undefined for a chunked body. The parser has checked the header. */
function contentLengthOf(message: IncomingMessage): number | undefined {
  if (message.headers['transfer-encoding'] !== undefined) return undefined;
  return Number(message.headers['content-length'] ?? 0);
}

/** Every answer that says "later" says when: senders differ in what they do without. */
function withRetryAfter(reply: IngestReply, error: NodeError | undefined): IngestReply {
  if (reply.status !== 503 && reply.status !== 429) return reply;
  if (reply.headers['retry-after'] !== undefined) return reply;
  if (error !== undefined && !errorCodes[error.code].retryable) return reply;
  const seconds = Math.ceil((error?.retryAfterMs ?? defaultRetryAfterSecs * 1000) / 1000);
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(seconds) } };
}

/** Bytes that are no HTTP request, or one that did not come in time. */
function answerClientError(error: Error, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const code = 'code' in error ? error.code : undefined;
  const status =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? '408 Request Timeout'
      : code === 'HPE_HEADER_OVERFLOW'
        ? '431 Request Header Fields Too Large'
        : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}
