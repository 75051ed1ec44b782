const frameMagic = 0xfd2fb528;
/** Skippable frames: 0x184d2a50 to 0x184d2a5f. */
const skippableMagic = 0x184d2a5;

const dictionaryIdBytes = [0, 1, 2, 4];
const repeatBlock = 1;

/**
 * Where the zstd frame at `start` ends (RFC 8878 section 3.1); -1 when the bytes are no whole frame. The native
 * decoder stops after the first frame, and senders may put several into one body.
 */
export function zstdFrameEnd(body: Uint8Array, start: number): number {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const has = (end: number): boolean => end <= body.length;
  if (!has(start + 5)) return -1;
  const magic = view.getUint32(start, true);
  if (magic >>> 4 === skippableMagic) {
    const end = has(start + 8) ? start + 8 + view.getUint32(start + 4, true) : Infinity;
    return has(end) ? end : -1;
  }
  if (magic !== frameMagic) return -1;
  const descriptor = view.getUint8(start + 4);
  const hasChecksum = (descriptor & 4) !== 0;
  let at = start + 5 + headerFieldBytes(descriptor);
  for (;;) {
    if (!has(at + 3)) return -1;
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const isLast = (header & 1) === 1;
    const type = (header >> 1) & 3;
    const size = header >>> 3;
    at += 3 + (type === repeatBlock ? 1 : size);
    if (isLast) break;
  }
  const end = at + (hasChecksum ? 4 : 0);
  return has(end) ? end : -1;
}

/** Whether the frame at `start` carries no data. */
export function isSkippableFrame(body: Uint8Array, start: number): boolean {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  return view.getUint32(start, true) >>> 4 === skippableMagic;
}

/** Bytes of window descriptor, dictionary id and content size. */
function headerFieldBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const contentSizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 1 << sizeFlag;
  return (isSingleSegment ? 0 : 1) + (dictionaryIdBytes[descriptor & 3] ?? 0) + contentSizeBytes;
}
