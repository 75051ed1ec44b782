import { GrpcError, grpcCode } from './status.ts';

export interface ReceivedMessage {
  readonly isCompressed: boolean;
  /** In a buffer of its own. */
  readonly message: Uint8Array;
}

const prefixBytes = 5;

/**
 * Puts together the one length-prefixed message of a unary call (gRPC over HTTP/2, "Length-Prefixed-Message"): a
 * byte that says whether it is compressed, four bytes of length, the message.
 */
export class UnaryFrame {
  readonly #prefix = new Uint8Array(prefixBytes);
  readonly #admit: (messageBytes: number) => void;
  #prefixSize = 0;
  #message: Uint8Array | undefined;
  #messageSize = 0;

  /** `admit` is told the length before any memory is taken for it, and throws to refuse it. */
  constructor(admit: (messageBytes: number) => void) {
    this.#admit = admit;
  }

  /** @throws GrpcError on bytes that are not one message, and what `admit` throws */
  push(chunk: Uint8Array): void {
    const at = this.#message === undefined ? this.#pushPrefix(chunk) : 0;
    const message = this.#message;
    if (message === undefined || at === chunk.length) return;
    if (chunk.length - at > message.length - this.#messageSize) {
      const text = 'a unary call carries one message';
      throw new GrpcError(grpcCode.unimplemented, 'ingest_malformed_body', text);
    }
    message.set(at === 0 ? chunk : chunk.subarray(at), this.#messageSize);
    this.#messageSize += chunk.length - at;
  }

  /** Called at the end of the stream. @throws GrpcError when the message is not complete */
  finish(): ReceivedMessage {
    if (this.#prefixSize === 0) {
      const text = 'the call carries no message';
      throw new GrpcError(grpcCode.unimplemented, 'ingest_malformed_body', text);
    }
    if (this.#message === undefined || this.#messageSize < this.#message.length) {
      const text = 'the stream ends inside a message';
      throw new GrpcError(grpcCode.internal, 'ingest_malformed_body', text);
    }
    return { isCompressed: this.#prefix[0] === 1, message: this.#message };
  }

  /** How much of the chunk belongs to the prefix. */
  #pushPrefix(chunk: Uint8Array): number {
    const taken = Math.min(prefixBytes - this.#prefixSize, chunk.length);
    this.#prefix.set(chunk.subarray(0, taken), this.#prefixSize);
    this.#prefixSize += taken;
    if (this.#prefixSize === prefixBytes) {
      const view = new DataView(this.#prefix.buffer);
      if (view.getUint8(0) > 1) {
        const text = 'a message starts with a compressed flag of 0 or 1';
        throw new GrpcError(grpcCode.internal, 'ingest_malformed_body', text);
      }
      const length = view.getUint32(1);
      this.#admit(length);
      this.#message = new Uint8Array(length);
    }
    return taken;
  }
}

/** A message of a reply, not compressed. */
export function encodeFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(prefixBytes + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixBytes);
  return frame;
}
