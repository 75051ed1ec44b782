/** FNV-1a over a byte span, started from a secret seed so that colliding names cannot be prepared. */
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = seed;
  for (let index = start; index < end; index++) {
    hash = Math.imul(hash ^ bytes[index]!, 0x01000193);
  }
  hash ^= hash >>> 15;
  return hash >>> 0;
}

export function equalBytes(
  left: Uint8Array,
  leftStart: number,
  right: Uint8Array,
  span: { readonly start: number; readonly end: number },
): boolean {
  for (let from = span.start, to = leftStart; from < span.end; from++, to++) {
    if (left[to] !== right[from]) return false;
  }
  return true;
}

const seed = (Math.random() * 0x100000000) | 0;
