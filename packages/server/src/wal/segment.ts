/**
 * The bytes of a WAL segment, as docs/formats/wal.md describes them: one 64-byte header, then records of a
 * 32-byte header and a payload padded to 8 bytes. All integers are little-endian.
 *
 * Every checksum starts from the segment's random salt. A sender who puts a copy of a valid record into an event
 * body can therefore not make it pass for a record when a torn tail is searched.
 */
import { crc32 } from 'node:zlib';
import { assert } from '../base/assert.ts';

export const segmentHeaderBytes = 64;
export const recordHeaderBytes = 32;
export const segmentFormatVersion = 1;
/** A length above it is damage, whatever the checksum says; the writer refuses larger records. */
export const recordMaxBytes = 512 * 1024 * 1024;

const segmentMagic = Buffer.from('VARVEWAL', 'latin1');
/** "VREC" */
export const recordMagic = 0x43455256;

/** First half of a SHA-256 over the schema's description: tells the sealer how to read the payloads. */
export const schemaHashBytes = 16;
const saltBytes = 8;

export interface SegmentHeader {
  /** Rises by one from segment to segment for the life of a data directory. */
  readonly sequence: number;
  readonly firstLsn: number;
  readonly schemaHash: Uint8Array;
  /** 8 random bytes, part of the segment's id and of every checksum in it. */
  readonly salt: Uint8Array;
}

export interface RecordHeader {
  readonly payloadBytes: number;
  readonly lsn: number;
  readonly rows: number;
  readonly payloadCrc: number;
}

/** Unique for ever and across nodes: sealing and publishing are idempotent by it. Sorts by age. */
export function segmentIdOf(header: Pick<SegmentHeader, 'sequence' | 'salt'>): string {
  const sequence = String(header.sequence).padStart(12, '0');
  return `${sequence}-${Buffer.from(header.salt).toString('hex')}`;
}

const segmentFilePattern = /^(\d{12})-([0-9a-f]{16})\.wal$/;

export function segmentFileName(segmentId: string): string {
  return `${segmentId}.wal`;
}

/** The sequence a segment's file name states, or undefined where the name is not one of a segment. */
export function sequenceOfFileName(name: string): number | undefined {
  const digits = segmentFilePattern.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function paddedBytes(payloadBytes: number): number {
  return Math.ceil(payloadBytes / 8) * 8;
}

/** The value every checksum of a segment starts from. */
export function saltSeed(salt: Uint8Array): number {
  return crc32(salt);
}

export function encodeSegmentHeader(header: SegmentHeader): Uint8Array {
  assert(header.schemaHash.byteLength === schemaHashBytes, 'schema hash has the wrong length');
  assert(header.salt.byteLength === saltBytes, 'salt has the wrong length');
  const bytes = new Uint8Array(segmentHeaderBytes);
  const view = new DataView(bytes.buffer);
  bytes.set(segmentMagic, 0);
  view.setUint32(8, segmentFormatVersion, true);
  view.setBigUint64(16, BigInt(header.sequence), true);
  view.setBigUint64(24, BigInt(header.firstLsn), true);
  bytes.set(header.schemaHash, 32);
  bytes.set(header.salt, 48);
  view.setUint32(60, crc32(bytes.subarray(0, 60)), true);
  return bytes;
}

export type SegmentHeaderOutcome =
  | { readonly kind: 'valid'; readonly header: SegmentHeader }
  /** Not 64 bytes with a right checksum: damaged, or never completely written. */
  | { readonly kind: 'invalid' }
  | { readonly kind: 'unknown-version'; readonly version: number };

export function decodeSegmentHeader(bytes: Uint8Array): SegmentHeaderOutcome {
  if (bytes.byteLength < segmentHeaderBytes) return { kind: 'invalid' };
  const view = viewOf(bytes);
  if (!segmentMagic.equals(bytes.subarray(0, 8))) return { kind: 'invalid' };
  if (view.getUint32(60, true) !== crc32(bytes.subarray(0, 60))) return { kind: 'invalid' };
  const version = view.getUint32(8, true);
  if (version !== segmentFormatVersion) return { kind: 'unknown-version', version };
  return {
    kind: 'valid',
    header: {
      sequence: Number(view.getBigUint64(16, true)),
      firstLsn: Number(view.getBigUint64(24, true)),
      schemaHash: bytes.slice(32, 32 + schemaHashBytes),
      salt: bytes.slice(48, 48 + saltBytes),
    },
  };
}

export interface RecordInput {
  readonly pieces: readonly Uint8Array[];
  readonly rows: number;
  readonly lsn: number;
}

/** The record as pieces for one gathered write, payload not copied; `totalBytes` includes header and padding. */
export function encodeRecord(
  record: RecordInput,
  seed: number,
): { readonly pieces: readonly Uint8Array[]; readonly totalBytes: number } {
  let payloadBytes = 0;
  let payloadCrc = seed;
  for (const piece of record.pieces) {
    payloadBytes += piece.byteLength;
    payloadCrc = crc32(piece, payloadCrc);
  }
  assert(payloadBytes > 0 && payloadBytes <= recordMaxBytes, 'record payload has a bad length');
  const header = new Uint8Array(recordHeaderBytes);
  const view = new DataView(header.buffer);
  view.setUint32(0, recordMagic, true);
  view.setUint32(4, payloadBytes, true);
  view.setBigUint64(8, BigInt(record.lsn), true);
  view.setUint32(16, record.rows, true);
  view.setUint32(20, payloadCrc, true);
  view.setUint32(28, crc32(header.subarray(0, 28), seed), true);
  const padding = paddedBytes(payloadBytes) - payloadBytes;
  const pieces = [header, ...record.pieces];
  if (padding > 0) pieces.push(new Uint8Array(padding));
  return { pieces, totalBytes: recordHeaderBytes + payloadBytes + padding };
}

/** The header of a record, or undefined where the bytes are not one of this segment. */
export function decodeRecordHeader(bytes: Uint8Array, seed: number): RecordHeader | undefined {
  if (bytes.byteLength < recordHeaderBytes) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== recordMagic) return undefined;
  if (view.getUint32(28, true) !== crc32(bytes.subarray(0, 28), seed)) return undefined;
  const payloadBytes = view.getUint32(4, true);
  if (payloadBytes === 0 || payloadBytes > recordMaxBytes) return undefined;
  return {
    payloadBytes,
    lsn: Number(view.getBigUint64(8, true)),
    rows: view.getUint32(16, true),
    payloadCrc: view.getUint32(20, true),
  };
}

export function payloadMatches(header: RecordHeader, payload: Uint8Array, seed: number): boolean {
  return crc32(payload, seed) === header.payloadCrc;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
