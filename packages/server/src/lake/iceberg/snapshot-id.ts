import { randomBytes } from 'node:crypto';
import type { JsonInteger } from './json.ts';

/** Random, positive and exact as a double, so that readers that parse JSON numbers as doubles see the same id. */
export function newSnapshotId(): JsonInteger {
  const id = Number(BigInt.asUintN(53, randomBytes(8).readBigUInt64LE()));
  return id === 0 ? 1 : id;
}
