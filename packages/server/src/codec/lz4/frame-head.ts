import { brokenLz4 } from './block.ts';
import { xxh32 } from './xxh32.ts';

const frameMagic = 0x184d2204;
/** Skippable frames: 0x184d2a50 to 0x184d2a5f. */
const skippableMagic = 0x184d2a5;

export interface FrameHead {
  /** Whether matches reach back into earlier blocks of the frame. */
  readonly isLinked: boolean;
  readonly hasBlockChecksum: boolean;
  readonly hasContentChecksum: boolean;
  readonly maxBlockBytes: number;
  readonly contentBytes: number | undefined;
  /** Where the first block begins. */
  readonly end: number;
}

/** Where a frame that carries no data ends; -1 when none begins at `start`. @throws NodeError when it is cut */
export function skippableFrameEnd(view: DataView, start: number): number {
  if (start + 8 > view.byteLength) return -1;
  if (view.getUint32(start, true) >>> 4 !== skippableMagic) return -1;
  const end = start + 8 + view.getUint32(start + 4, true);
  if (end > view.byteLength) throw brokenLz4('it ends too early');
  return end;
}

/** @throws NodeError `ingest_malformed_body` */
export function readFrameHead(bytes: Uint8Array, start: number): FrameHead {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (start + 7 > bytes.length || view.getUint32(start, true) !== frameMagic) {
    throw brokenLz4('no frame begins where one should');
  }
  const flags = view.getUint8(start + 4);
  const blockSize = (view.getUint8(start + 5) >> 4) & 7;
  const hasContentBytes = (flags & 8) !== 0;
  const hasDictionary = (flags & 1) !== 0;
  const end = start + 7 + (hasContentBytes ? 8 : 0);
  if (flags >> 6 !== 1 || blockSize < 4) throw brokenLz4('its version or block size is not known');
  if (hasDictionary) throw brokenLz4('it needs a dictionary');
  if (end > bytes.length) throw brokenLz4('it ends too early');
  if (view.getUint8(end - 1) !== ((xxh32(bytes, start + 4, end - 1) >> 8) & 0xff)) {
    throw brokenLz4('a checksum is wrong');
  }
  return {
    isLinked: (flags & 0x20) === 0,
    hasBlockChecksum: (flags & 0x10) !== 0,
    hasContentChecksum: (flags & 4) !== 0,
    maxBlockBytes: 1 << (8 + 2 * blockSize),
    contentBytes: hasContentBytes ? Number(view.getBigUint64(start + 6, true)) : undefined,
    end,
  };
}
