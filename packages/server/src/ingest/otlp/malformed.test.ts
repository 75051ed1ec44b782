import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import {
  batchBytes,
  createBuilder,
  decodeOtlp,
  rowsOf,
} from '../../../test/fixture/otlp-decode.ts';
import { encodeJson, encodeProtobuf } from '../../../test/fixture/otlp-encode.ts';
import { sampleLogs } from '../../../test/fixture/otlp-sample.ts';
import { NodeError } from '../../base/errors.ts';
import type { RawEventBuilder } from '../../columns/index.ts';

const protobufType = 'application/x-protobuf';
const jsonType = 'application/json';

function expectUtf8({ batch }: RawEventBuilder): void {
  const map = batch.map('attributes');
  for (const column of [batch.utf8('body'), batch.utf8('idempotency_key'), map.keys, map.values]) {
    for (let row = 0; row < column.rows; row++) {
      const value = column.data.subarray(column.start(row), column.end(row));
      if (!isUtf8(value)) throw new Error(`value ${row} is not UTF-8`);
    }
  }
}

const { builder: occupied } = decodeOtlp(encodeProtobuf(sampleLogs.slice(0, 1)));
const occupiedRows = occupied.rows;
const occupiedBytes = batchBytes(occupied);

/** Decodes behind a row that is there already, then undoes it as a caller does; tells whether it was refused. */
function attempt(body: Uint8Array, contentType: string): boolean {
  let isRefused = false;
  try {
    decodeOtlp(body, { builder: occupied, contentType });
    expectUtf8(occupied);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    expect(error.code).toBe('ingest_malformed_body');
    isRefused = true;
  }
  occupied.batch.truncate(occupiedRows);
  expect(batchBytes(occupied).equals(occupiedBytes)).toBe(true);
  return isRefused;
}

describe.each([
  ['protobuf', protobufType, encodeProtobuf(sampleLogs)],
  ['JSON', jsonType, encodeJson(sampleLogs)],
])('a damaged %s body', (_, contentType, body) => {
  it('is refused as malformed or read as something else when it is cut anywhere', () => {
    let refused = 0;
    for (let end = 0; end < body.length; end++)
      refused += Number(attempt(body.subarray(0, end), contentType));
    // A protobuf body is whole again where a top-level message ends, and when nothing is left of it.
    const whole = contentType === jsonType ? 0 : sampleLogs.length;
    expect(refused).toBe(body.length - whole);
  });

  it('is refused as malformed or read as something else when any byte is changed', () => {
    let refused = 0;
    for (let at = 0; at < body.length; at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const damaged = body.slice();
        damaged[at] = damaged[at]! ^ mask;
        refused += Number(attempt(damaged, contentType));
      }
    }
    expect(refused).toBeGreaterThan(body.length / 2);
    expect(refused).toBeLessThan(body.length * 3);
  });
});

describe('texts that are no UTF-8', () => {
  const invalid = Buffer.from('a\xff', 'latin1');
  const latin1Swap = (body: Uint8Array): Uint8Array =>
    Buffer.from(Buffer.from(body).toString('latin1').replaceAll('a?', 'a\xff'), 'latin1');
  const request = [
    {
      attributes: [],
      scopeLogs: [
        {
          name: '',
          version: '',
          attributes: [],
          logRecords: [
            {
              ...sampleLogs[0]!.scopeLogs[0]!.logRecords[0]!,
              body: { kind: 'string', value: 'a?' },
              severityText: '',
              severityNumber: 0,
              eventName: '',
              traceId: new Uint8Array(0),
              spanId: new Uint8Array(0),
              flags: 0,
              droppedAttributesCount: 0,
              attributes: [
                { key: 'a?', value: { kind: 'string', value: 'a?' } },
                {
                  key: 'map',
                  value: {
                    kind: 'kvlist',
                    value: [{ key: 'a?', value: { kind: 'bytes', value: invalid } }],
                  },
                },
                { key: 'list', value: { kind: 'array', value: [{ kind: 'string', value: 'a?' }] } },
              ],
            },
          ],
        },
      ],
    },
  ] as const;

  it('are repaired in the protobuf encoding, because senders cut lines inside a character', () => {
    const { builder } = decodeOtlp(latin1Swap(encodeProtobuf(request)));
    expect(rowsOf(builder)).toMatchObject([
      {
        body: 'a\ufffd',
        attributes: [
          ['a\ufffd', 'a\ufffd'],
          ['map.a\ufffd', 'Yf8='],
          ['list', '["a\ufffd"]'],
        ],
      },
    ]);
  });

  it('are refused in the JSON encoding', () => {
    expect(() => decodeOtlp(latin1Swap(encodeJson(request)), { contentType: jsonType })).toThrow(
      expect.objectContaining({ code: 'ingest_malformed_body' }),
    );
  });
});

describe('values nested too deep', () => {
  const nested = (depth: number): Parameters<typeof encodeProtobuf>[0] => {
    let value: (typeof sampleLogs)[0]['attributes'][0]['value'] = { kind: 'string', value: 'x' };
    for (let level = 0; level < depth; level++) {
      value =
        level % 2 === 0
          ? { kind: 'array', value: [value] }
          : { kind: 'kvlist', value: [{ key: 'k', value }] };
    }
    const record = {
      ...sampleLogs[0]!.scopeLogs[0]!.logRecords[0]!,
      attributes: [{ key: 'deep', value }],
    };
    return [
      {
        attributes: [],
        scopeLogs: [{ name: '', version: '', attributes: [], logRecords: [record] }],
      },
    ];
  };

  it('are refused at the same depth in both encodings', () => {
    const bodies = (depth: number) =>
      [
        [encodeProtobuf(nested(depth), { isReversed: true }), protobufType],
        [encodeJson(nested(depth)), jsonType],
      ] as const;
    for (const [body, contentType] of bodies(64)) expect(attempt(body, contentType)).toBe(false);
    for (const [body, contentType] of bodies(65)) expect(attempt(body, contentType)).toBe(true);
  });

  it('do not exhaust the stack however deep they are', () => {
    const depth = 200_000;
    const json = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":${'{"arrayValue":{"values":['.repeat(depth)}`;
    expect(attempt(Buffer.from(json), jsonType)).toBe(true);
    expect(attempt(Buffer.from(`{"unknown":${'['.repeat(depth)}`), jsonType)).toBe(true);
  });
});

it('does not grow far beyond the body when long names have many values below them', () => {
  const leaf = { key: 'x', value: { kind: 'none' } } as const;
  const value = { kind: 'kvlist', value: new Array<typeof leaf>(100_000).fill(leaf) } as const;
  const resource = [{ attributes: [{ key: 'k'.repeat(8000), value }], scopeLogs: [] }];
  expect(() => decodeOtlp(encodeProtobuf(resource))).toThrow(
    expect.objectContaining({ code: 'ingest_too_many_attributes' }),
  );
  expect(() =>
    decodeOtlp(encodeJson(resource), { contentType: jsonType, builder: createBuilder() }),
  ).toThrow(expect.objectContaining({ code: 'ingest_too_many_attributes' }));
});
