import { describe, expect, it } from 'vitest';
import { IngestRig } from '../../../test/fixture/ingest-rig.ts';
import {
  encodeJson,
  encodeProtobuf,
  pushMessage,
  sampleStreams,
} from '../../../test/fixture/loki-encode.ts';
import { createLokiProtocol } from './index.ts';

const rig = new IngestRig(createLokiProtocol({ dedup: true }));
const jsonHeaders = { 'content-type': 'application/json' };
rig.send(encodeJson(sampleStreams), { headers: jsonHeaders });
const rowsBefore = rig.builder.rows;
const before = rig.rows();

/** Tells whether the body was refused. What it stored is taken back. */
function isRefused(body: Uint8Array, headers: Record<string, string>): boolean {
  const { status, body: text } = rig.send(body, { headers });
  expect([204, 400]).toContain(status);
  expect(text === '').toBe(status === 204);
  for (const column of rig.builder.batch.columns) expect(column.rows).toBe(rig.builder.rows);
  if (status === 400) expect(rig.builder.rows).toBe(rowsBefore);
  rig.builder.batch.truncate(rowsBefore);
  return status === 400;
}

describe.each([
  ['JSON', jsonHeaders, encodeJson(sampleStreams)],
  ['legacy JSON', jsonHeaders, encodeJson(sampleStreams, { isLegacy: true, isReversed: true })],
  ['protobuf', { 'content-type': 'application/x-protobuf' }, encodeProtobuf(sampleStreams)],
])('a damaged %s body', (_, headers, body) => {
  it('is refused as a whole when it is cut anywhere', () => {
    for (let end = 0; end < body.length; end++) {
      expect(isRefused(body.subarray(0, end), headers)).toBe(true);
    }
    expect(rig.rows()).toEqual(before);
  });

  it('is refused or read as something else when any byte is changed', () => {
    let refused = 0;
    for (let at = 0; at < body.length; at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const damaged = body.slice();
        damaged[at] = damaged[at]! ^ mask;
        refused += Number(isRefused(damaged, headers));
      }
    }
    expect(refused).toBeGreaterThan(body.length / 3);
    expect(refused).toBeLessThan(body.length * 3);
  });
});

it('does not take a protobuf message that is not snappy', () => {
  expect(isRefused(pushMessage(sampleStreams), {})).toBe(true);
});

it('refuses values nested too deep without exhausting the stack', () => {
  const open = '['.repeat(200_000);
  expect(isRefused(Buffer.from(`{"unknown":${open}`), jsonHeaders)).toBe(true);
  const line = `{"streams":[{"stream":{},"values":[["1",${open}`;
  expect(isRefused(Buffer.from(line), jsonHeaders)).toBe(true);
});
