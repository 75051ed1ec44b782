import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  readonly responseHeaders: IncomingHttpHeaders;
}

/** Stands between a client and a listener and notes what went over the wire: what the client does is then proven. */
export class RecordingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly exchanges: Exchange[] = [];

  private constructor(target: string) {
    this.#server = createServer((message, response) => this.#forward(target, message, response));
  }

  static async open(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get statuses(): readonly number[] {
    return this.exchanges.map(({ status }) => status);
  }

  /** What was noted since the last call. */
  take(): readonly Exchange[] {
    return this.exchanges.splice(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #forward(target: string, message: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/', headers } = message;
    const outgoing = request(`http://${target}`, { method, path, headers, agent: false });
    outgoing.on('response', (answer) => {
      const { statusCode: status = 0, headers: responseHeaders } = answer;
      this.exchanges.push({ method, path, headers, status, responseHeaders });
      response.writeHead(status, answer.rawHeaders);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    message.pipe(outgoing);
  }
}
