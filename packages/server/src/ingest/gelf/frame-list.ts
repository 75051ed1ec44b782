import { ByteBuffer } from '../../codec/index.ts';

/** Bytes before each message: its length (uint32, little-endian) and that of its sender's address. */
const headBytes = 5;

export interface Frame {
  /** Address of the sender, ASCII. */
  readonly peer: Uint8Array;
  readonly message: Uint8Array;
}

/**
 * Collects messages of the socket listeners as the body of one request to the ingest worker:
 * `uint32 length | uint8 peer length | peer | message`, repeated.
 */
export class FrameListWriter {
  readonly #buffer = new ByteBuffer(64 * 1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get sizeBytes(): number {
    return this.#buffer.size;
  }

  add(peer: string, message: Uint8Array): void {
    const { length } = message;
    const buffer = this.#buffer;
    buffer.reserve(headBytes + peer.length + length);
    for (let shift = 0; shift < 32; shift += 8) buffer.byte((length >>> shift) & 0xff);
    buffer.byte(peer.length);
    buffer.ascii(peer);
    buffer.append(message, 0, length);
    this.#count++;
  }

  /** The body with a buffer of its own; the list is empty afterwards. */
  take(): { readonly body: Uint8Array; readonly count: number } {
    const taken = { body: this.#buffer.bytes.slice(0, this.#buffer.size), count: this.#count };
    this.#buffer.clear();
    this.#count = 0;
    return taken;
  }
}

/** The messages of a body that `FrameListWriter` made. */
export function* readFrameList(body: Uint8Array): Generator<Frame> {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  for (let at = 0; at < body.length;) {
    const messageBytes = view.getUint32(at, true);
    const peerStart = at + headBytes;
    const messageStart = peerStart + view.getUint8(at + 4);
    at = messageStart + messageBytes;
    yield {
      peer: body.subarray(peerStart, messageStart),
      message: body.subarray(messageStart, at),
    };
  }
}
