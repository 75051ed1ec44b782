const prime1 = 0x9e3779b1;
const prime2 = 0x85ebca77;
const prime3 = 0xc2b2ae3d;
const prime4 = 0x27d4eb2f;
const prime5 = 0x165667b1;

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function mix(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, prime2)) | 0, 13), prime1);
}

/** XXH32 with seed 0 of a span, unsigned (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). */
export function xxh32(bytes: Uint8Array, start: number, end: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  let hash = prime5;
  if (end - start >= 16) {
    let lane1 = (prime1 + prime2) | 0;
    let lane2 = prime2;
    let lane3 = 0;
    let lane4 = -prime1 | 0;
    for (; at + 16 <= end; at += 16) {
      lane1 = mix(lane1, view.getInt32(at, true));
      lane2 = mix(lane2, view.getInt32(at + 4, true));
      lane3 = mix(lane3, view.getInt32(at + 8, true));
      lane4 = mix(lane4, view.getInt32(at + 12, true));
    }
    hash = rotate(lane1, 1) + rotate(lane2, 7) + rotate(lane3, 12) + rotate(lane4, 18);
  }
  hash = (hash + end - start) | 0;
  for (; at + 4 <= end; at += 4) {
    hash = (hash + Math.imul(view.getInt32(at, true), prime3)) | 0;
    hash = Math.imul(rotate(hash, 17), prime4);
  }
  for (; at < end; at++) {
    hash = (hash + Math.imul(bytes[at]!, prime5)) | 0;
    hash = Math.imul(rotate(hash, 11), prime1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), prime2);
  hash = Math.imul(hash ^ (hash >>> 13), prime3);
  return (hash ^ (hash >>> 16)) >>> 0;
}
