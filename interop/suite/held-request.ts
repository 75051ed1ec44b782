import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';

/**
 * A request whose body does not come: the node keeps the announced bytes free for it, and has none left for others.
 * Resolves when the node waits for the body.
 */
export class HeldRequest implements Disposable {
  readonly #request: ClientRequest;

  private constructor(outgoing: ClientRequest) {
    this.#request = outgoing;
  }

  static async open(options: {
    url: string;
    bodyBytes: number;
    headers?: Record<string, string>;
  }): Promise<HeldRequest> {
    const outgoing = request(options.url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': options.bodyBytes,
        expect: '100-continue',
        ...options.headers,
      },
    });
    outgoing.on('error', () => {});
    outgoing.flushHeaders();
    const isRefused = once(outgoing, 'response').then(() => {
      throw new Error('the node answered before the body was sent');
    });
    isRefused.catch(() => undefined);
    await Promise.race([once(outgoing, 'continue'), isRefused]);
    return new HeldRequest(outgoing);
  }

  /** Gives the bytes back, as a client that goes away does. */
  [Symbol.dispose](): void {
    this.#request.destroy();
  }
}
