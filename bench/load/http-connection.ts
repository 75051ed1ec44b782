import { connect, type Socket } from 'node:net';

export interface HttpReply {
  readonly status: number;
  /** First bytes of the body, enough to tell a partial failure. */
  readonly bodyStart: string;
}

interface Waiting {
  resolve(reply: HttpReply): void;
  reject(error: Error): void;
}

const headEnd = Buffer.from('\r\n\r\n');
const chunkedEnd = Buffer.from('0\r\n\r\n');
const keptBodyBytes = 256;
const maxHeadBytes = 16 * 1024;

/** One keep-alive connection that sends prepared requests, one at a time; it costs far less than an HTTP client. */
export class HttpConnection {
  readonly #socket: Socket;
  #waiting: Waiting | undefined;
  #head: Buffer = Buffer.alloc(0);
  #status = 0;
  #bodyStart = '';
  /** Bytes of the body still to come; undefined while the head is read, -1 for a chunked body. */
  #rest: number | undefined;
  #tail: Buffer = Buffer.alloc(0);
  #isClosing = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection was closed')));
  }

  static open(address: { host: string; port: number }): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(address);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
    });
  }

  /** `request` must stay unchanged until the reply is there. */
  send(request: Buffer): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#isClosing = true;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#rest !== undefined) {
      this.#receiveBody(chunk);
      return;
    }
    this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(headEnd);
    if (end === -1) {
      if (this.#head.length > maxHeadBytes) this.#fail(new Error('the reply has no end of head'));
      return;
    }
    const head = this.#head.toString('latin1', 0, end);
    const body = this.#head.subarray(end + headEnd.length);
    this.#head = Buffer.alloc(0);
    this.#bodyStart = '';
    this.#tail = Buffer.alloc(0);
    this.#status = Number(head.slice(9, 12));
    if (this.#status === 100) this.#receive(body);
    else {
      this.#rest = bodyLength(head, this.#status);
      this.#receiveBody(body);
    }
  }

  #receiveBody(chunk: Buffer): void {
    if (this.#bodyStart.length < keptBodyBytes) {
      this.#bodyStart += chunk.toString('latin1', 0, keptBodyBytes - this.#bodyStart.length);
    }
    if (this.#rest === -1) {
      const seen = Buffer.concat([this.#tail, chunk]);
      this.#tail = seen.subarray(-chunkedEnd.length);
      if (!this.#tail.equals(chunkedEnd)) return;
    } else {
      this.#rest = (this.#rest ?? 0) - chunk.length;
      if (this.#rest > 0) return;
    }
    this.#rest = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve({ status: this.#status, bodyStart: this.#bodyStart });
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (!this.#isClosing) waiting?.reject(error);
  }
}

function bodyLength(head: string, status: number): number {
  if (status === 204 || status === 304) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return -1;
  throw new Error(`the reply has no length: ${head}`);
}
