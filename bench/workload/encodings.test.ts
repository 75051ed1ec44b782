import { describe, expect, it } from 'vitest';
import type { RawEventBuilder } from '../../packages/server/src/columns/index.ts';
import { makeBatch } from '../events.ts';
import { decodeRequest, openBuilder, openProtocol } from '../table/decode-request.ts';
import type { Encoding } from './encoded-batch.ts';
import { encodings } from './encodings.ts';
import { Random } from './random.ts';
import { makePool, PreparedRequest } from './request-pool.ts';

const nowMs = Date.UTC(2026, 10, 1, 12, 0, 0, 7);

interface Row {
  readonly timeNs: bigint;
  readonly service: string;
  readonly host: string;
  readonly body: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** The same events in this encoding, as the server's own decoder reads them. */
function decoded(encoding: Encoding, events = 50): Row[] {
  const batch = makeBatch(new Random(7), { events, groups: 3 });
  const request = new PreparedRequest(encoding, encoding.encode(batch));
  request.stamp(nowMs, new Random(8));
  const builder = openBuilder();
  const body = new Uint8Array(request.body());
  expect(decodeRequest(openProtocol(encoding), encoding, { body, builder })).toBe(events);
  return Array.from({ length: events }, (_, row) => readRow(builder, row));
}

function readRow({ batch }: RawEventBuilder, row: number): Row {
  const values = batch.int64('timestamp_ns').valuesView();
  const times = new DataView(values.buffer, values.byteOffset);
  const map = batch.map('attributes');
  const attributes = new Map<string, string>();
  for (let entry = map.entryStart(row); entry < map.entryStart(row + 1); entry++) {
    attributes.set(text(map.keys, entry), text(map.values, entry));
  }
  return {
    timeNs: times.getBigInt64(row * 8, true),
    service: text(batch.utf8('service'), row),
    host: text(batch.utf8('host'), row),
    body: text(batch.utf8('body'), row),
    attributes,
  };
}

function text(column: ReturnType<RawEventBuilder['batch']['utf8']>, row: number): string {
  return Buffer.from(column.data.subarray(column.start(row), column.end(row))).toString();
}

describe('encodings', () => {
  it('hold the same events in every protocol', () => {
    const rows = decoded(encodings.otlp_protobuf);
    expect(rows.at(0)?.attributes.get('trace_id')).toMatch(/^[0-9a-f]{32}$/);
    expect(decoded(encodings.otlp_json)).toEqual(rows);
    expect(decoded(encodings.bulk)).toEqual(rows);
  });

  it('give every event a time of the last moments, in order, and a message that names its trace', () => {
    const rows = decoded(encodings.bulk);
    const times = rows.map((row) => row.timeNs);
    expect(times).toEqual(times.toSorted((left, right) => (left < right ? -1 : 1)));
    expect(times.every((time) => time <= BigInt(nowMs) * 1_000_000n)).toBe(true);
    expect(times.every((time) => time > BigInt(nowMs - 1000) * 1_000_000n)).toBe(true);
    for (const { body, attributes } of rows) {
      expect(body).toContain(`request ${attributes.get('trace_id')?.slice(0, 8)}`);
    }
  });

  it('are 475 bytes a JSON line on average', () => {
    const pool = makePool({
      encoding: encodings.bulk,
      seed: 1,
      requests: 20,
      eventsPerRequest: 500,
    });
    const actionLine = '{"create":{}}\n'.length;
    const bytes = pool.reduce((sum, request) => sum + request.bodyBytes, 0);
    expect(bytes / 10_000 - actionLine).toBeGreaterThan(470);
    expect(bytes / 10_000 - actionLine).toBeLessThan(480);
  });
});

describe('makePool', () => {
  it('makes the same requests from the same seed, but for what is stamped', () => {
    const make = (): Buffer[] => {
      const encoding = encodings.otlp_json;
      const pool = makePool({ encoding, seed: 3, requests: 2, eventsPerRequest: 20 });
      for (const request of pool) request.stamp(nowMs, new Random(1));
      return pool.map((request) => request.bytes);
    };
    expect(make()).toEqual(make());
  });
});
