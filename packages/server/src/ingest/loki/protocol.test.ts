import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IngestRig, nowNs, type StoredEvent } from '../../../test/fixture/ingest-rig.ts';
import {
  encodeJson,
  encodeProtobuf,
  type LokiStream,
  pushMessage,
  sampleStreams,
} from '../../../test/fixture/loki-encode.ts';
import { snappyDataChunk, snappyLiteral, streamHead } from '../../../test/fixture/snappy-encode.ts';
import { NodeError } from '../../base/errors.ts';
import { createLokiEndpoint, createLokiProtocol } from './index.ts';

const json = { 'content-type': 'application/json' };
const protobufType = { 'content-type': 'application/x-protobuf' };
const accepted = { status: 204, headers: {}, body: '' };
const timeNs = nowNs - 5n;

const createRig = (options?: ConstructorParameters<typeof IngestRig>[1], dedup = true): IngestRig =>
  new IngestRig(createLokiProtocol({ dedup }), options);

function rowsOfText(text: string): readonly StoredEvent[] {
  const rig = createRig();
  expect(rig.send(text, { headers: json })).toEqual(accepted);
  return rig.rows();
}

/** The only event of one entry. */
function eventOf(
  labels: Record<string, unknown>,
  line: unknown = 'x',
  metadata: unknown = {},
): StoredEvent | undefined {
  const entry = [String(timeNs), line, metadata];
  return rowsOfText(JSON.stringify({ streams: [{ stream: labels, values: [entry] }] }))[0];
}

describe('the events of a push', () => {
  it('hold everything its sender said', () => {
    const rig = createRig();
    const { received, stored } = rig.decode(encodeProtobuf(sampleStreams));
    expect({ received, stored }).toEqual({ received: 3, stored: 3 });
    expect(rig.rows()).toEqual([
      {
        timestamp_ns: 1_767_323_044_123_456_789n,
        source: 'loki',
        service: 'shop',
        body: 'level=warn msg="payment slow for Zoë"',
        idempotency_key: expect.stringMatching(/^loki:[\w-]{22}$/),
        attributes: {
          trace_id: 'a0a1',
          user: 'ü-1',
          severity: 'WARN',
          severity_number: '13',
          app: 'shop',
          env: 'prod',
          quoted: 'a "b" \\ é\n',
          namespace: 'web',
        },
        host: null,
        env: 'prod',
        namespace: 'web',
        tenant: 'default',
      },
      expect.objectContaining({ timestamp_ns: 1_767_323_044_123_456_790n, body: 'order placed' }),
      expect.objectContaining({
        timestamp_ns: 1n,
        service: 'batch',
        body: '',
        attributes: { severity: 'ERROR', severity_number: '17', job: 'batch', level: 'error' },
      }),
    ]);
  });

  it('are the same in every encoding', () => {
    const name = fc.stringMatching(/^[a-z_][a-z0-9_]{0,6}$/);
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const stream: fc.Arbitrary<LokiStream> = fc.record({
      labels: fc.dictionary(name, text, { maxKeys: 5 }),
      entries: fc.array(
        fc.record({
          timeNs: fc.bigInt({ min: 10n ** 17n, max: nowNs }),
          line: fc.string({ unit: 'grapheme', maxLength: 40 }),
          metadata: fc.dictionary(name, text, { maxKeys: 4 }),
        }),
        { maxLength: 4 },
      ),
    });
    fc.assert(
      fc.property(fc.array(stream, { maxLength: 3 }), (streams) => {
        const bodies = [
          encodeProtobuf(streams),
          encodeJson(streams),
          encodeJson(streams, { isLegacy: true, space: ' ' }),
          encodeJson(streams, { isReversed: true }),
        ];
        const [first, ...others] = bodies.map((body) => {
          const rig = createRig();
          expect(rig.send(body)).toEqual(accepted);
          return rig.rows();
        });
        for (const rows of others) expect(rows).toEqual(first);
        const plain = streams.flatMap(({ entries }) => entries);
        expect(
          first?.map(({ timestamp_ns, body }) => ({ timeNs: timestamp_ns, line: body })),
        ).toEqual(plain.map(({ timeNs: time, line }) => ({ timeNs: time, line })));
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    [{ app: 'a', service_name: 's', job: 'j' }, 's'],
    [{ job: 'j', container: 'c', app: 'a' }, 'a'],
    [{ 'service.name': 'dotted', service: 's' }, 'dotted'],
    [{ service_name: '', k8s_job_name: 'nightly' }, 'nightly'],
    [{ pod: 'p' }, 'unknown_service'],
  ])('with labels %j belong to the service %s', (labels, service) => {
    expect(eventOf(labels)?.service).toBe(service);
  });

  it.each([
    [{ level: 'error' }, 'level=info', { level: 'debug' }, 'DEBUG', '5'],
    [{ level: 'error' }, 'level=info', {}, 'ERROR', '17'],
    [{}, 'level=info', {}, 'INFO', '9'],
    [{ Severity: 'Warning' }, 'x', {}, 'WARN', '13'],
    [{ detected_level: 'unknown' }, 'FATAL: out', {}, 'FATAL', '21'],
    [{}, 'x', { severity_number: '14', severity_text: 'info' }, 'WARN', '14'],
  ])(
    'with labels %j, line %s and metadata %j have a level',
    (labels, line, metadata, name, number) => {
      const event = eventOf(labels, line, metadata);
      expect(event?.attributes).toMatchObject({ severity: name, severity_number: number });
    },
  );

  it('keep a severity of their labels that their own overrides', () => {
    const event = eventOf({ severity: 'error' }, 'x', { severity: 'info' });
    expect(event?.attributes).toEqual({
      severity: 'INFO',
      severity_number: '9',
      'duplicate.severity': 'error',
    });
    expect(eventOf({ severity: 'loud' })?.attributes).toEqual({ severity: 'loud' });
  });

  it('take what senders send besides texts', () => {
    const event = eventOf({ a: 1, b: { c: true, d: null } }, { msg: [1, 2] }, { n: { m: 1.5 } });
    expect(event).toMatchObject({
      body: '{"msg":[1,2]}',
      attributes: { a: '1', 'b.c': 'true', 'b.d': null, 'n.m': '1.5' },
    });
  });

  it('keep a line that is cut inside a character', () => {
    const streams = [{ labels: {}, entries: [{ timeNs, line: 'abc?' }] }];
    const text = Buffer.from(pushMessage(streams)).toString('latin1').replace('abc?', 'abc\xe9');
    const rig = createRig();
    expect(rig.send(snappyLiteral(Buffer.from(text, 'latin1')))).toEqual(accepted);
    expect(rig.rows()[0]?.body).toBe('abc\ufffd');
  });

  it.each([
    ['"1767323044123456789"', 1_767_323_044_123_456_789n],
    ['1767323044123456789', 1_767_323_044_123_456_789n],
    ['"1767323044123"', 1_767_323_044_123_000_000n],
    ['"2026-01-02T03:04:04.123456789Z"', 1_767_323_044_123_456_789n],
    ['"0"', nowNs],
    ['null', nowNs],
    ['"-5"', 0n],
    ['"9223372036854775807"', nowNs + 1_000_000_000n],
  ])('with the time %s are stored at %s', (time, expected) => {
    const [row] = rowsOfText(`{"streams":[{"stream":{},"values":[[${time},"x"]]}]}`);
    expect(row?.timestamp_ns).toBe(expected);
  });
});

describe('a body', () => {
  const message = pushMessage(sampleStreams);
  const block = snappyLiteral(message);

  it.each([
    ['snappy without a content encoding', block, protobufType],
    ['snappy with a content encoding', block, { ...protobufType, 'content-encoding': 'snappy' }],
    ['framed snappy', Buffer.concat([streamHead, snappyDataChunk(message)]), protobufType],
    ['snappy in gzip', gzipSync(block), { ...protobufType, 'content-encoding': 'gzip' }],
    ['protobuf without a type', block, {}],
    ['JSON without a type', encodeJson(sampleStreams), {}],
    [
      'JSON with a charset',
      encodeJson(sampleStreams),
      { 'content-type': 'Application/JSON; charset=utf-8' },
    ],
    ['JSON in gzip', gzipSync(encodeJson(sampleStreams)), { ...json, 'content-encoding': 'gzip' }],
  ])('of %s is read', (_, body, headers) => {
    const rig = createRig();
    expect(rig.send(body, { headers })).toEqual(accepted);
    expect(rig.rows()).toHaveLength(3);
  });

  it.each([
    '{"streams":null}',
    '{}',
    '{"streams":[]}',
    '{"streams":[{"stream":{},"values":null}]}',
  ])('without entries is fine: %s', (body) => {
    expect(rowsOfText(body)).toEqual([]);
  });

  it.each([
    '',
    '[]',
    '{"streams":{}}',
    '{"streams":[{"stream":"{a}","values":[]}]}',
    '{"streams":[{"stream":[],"values":[]}]}',
    '{"streams":[{"values":[["1767323044123456789"]]}]}',
    '{"streams":[{"values":[["soon","x"]]}]}',
    '{"streams":[{"values":[[true,"x"]]}]}',
    '{"streams":[{"values":["x"]}]}',
    '{"streams":[{"values":[["1","x","y"]]}]}',
  ])('that is no push is refused: %s', (body) => {
    const rig = createRig();
    const { status, headers, body: text } = rig.send(body, { headers: json });
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^[^\n]+\n$/);
    expect(rig.builder.rows).toBe(0);
  });

  it('over the limit after decompression is refused', () => {
    const rig = createRig();
    const streams = [{ labels: {}, entries: [{ timeNs, line: 'x'.repeat(5000) }] }];
    for (const body of [encodeProtobuf(streams), encodeJson(streams)]) {
      expect(rig.send(body, { maxBodyBytes: 4000 }).status).toBe(413);
    }
  });

  it('with an event over a cap is refused as a whole', () => {
    for (const limits of [{ maxAttributes: 3 }, { maxEventBytes: 40 }]) {
      const rig = createRig({ limits });
      const { status, body } = rig.send(encodeJson(sampleStreams), { headers: json });
      expect(status).toBe(400);
      expect(body).toMatch(/nothing of the batch was stored/);
      expect(rig.builder.rows).toBe(0);
    }
  });

  it('with times out of range is stored without them when they are to be rejected', () => {
    const rig = createRig({ timestamps: { action: 'reject', maxAgeNs: 10n ** 12n } });
    const { body, status } = rig.send(encodeJson(sampleStreams), { headers: json });
    expect(status).toBe(400);
    expect(body).toMatch(/^1 of 3 entries were not stored/);
    expect(rig.rows()).toHaveLength(2);
  });
});

describe('an entry that is sent again', () => {
  const entry = { timeNs, line: 'same', metadata: { a: '1', b: '2' } };
  const stream = { labels: { x: '1', y: '2' }, entries: [entry] };
  const other = [
    { ...stream, labels: { x: '2', y: '1' } },
    { ...stream, labels: { x: '1' } },
    { ...stream, entries: [{ ...entry, line: 'sama' }] },
    { ...stream, entries: [{ ...entry, timeNs: timeNs + 1n }] },
    { ...stream, entries: [{ ...entry, metadata: { a: '2', b: '1' } }] },
    { ...stream, entries: [{ ...entry, metadata: {} }] },
  ];

  it('is stored once, whatever its encoding and the order of its labels and metadata', () => {
    const rig = createRig();
    const turned = {
      labels: { y: '2', x: '1' },
      entries: [{ ...entry, metadata: { b: '2', a: '1' } }],
    };
    rig.send(encodeProtobuf([stream]));
    for (const body of [encodeProtobuf([stream]), encodeJson([stream]), encodeJson([turned])]) {
      expect(rig.decode(body)).toMatchObject({ received: 1, stored: 0, deduplicated: 1 });
    }
  });

  it('is another one when anything else of it differs', () => {
    const rig = createRig();
    expect(rig.decode(encodeJson([stream, ...other])).stored).toBe(other.length + 1);
    expect(new Set(rig.rows().map((row) => row.idempotency_key)).size).toBe(other.length + 1);
  });

  it('is stored as often as one request has it', () => {
    const rig = createRig();
    const batch = [{ ...stream, entries: [entry, entry, ...stream.entries] }, stream];
    expect(rig.decode(encodeProtobuf(batch))).toMatchObject({ received: 4, stored: 4 });
    expect(rig.decode(encodeJson(batch))).toMatchObject({ stored: 0, deduplicated: 4 });
  });

  it('has no id without a time, and none at all when that is off', () => {
    const off = createRig({}, false);
    off.send(encodeJson([stream]));
    const untimed = createRig();
    untimed.send(encodeJson([{ ...stream, entries: [{ ...entry, timeNs: 0n }] }]));
    for (const rig of [off, untimed]) expect(rig.rows()[0]?.idempotency_key).toBeNull();
  });
});

describe('the endpoint', () => {
  const endpoint = createLokiEndpoint({ maxBodyBytes: 7 });
  const route = (method: string, path: string) =>
    endpoint.route({ method, path, query: '', headers: {} });

  it('takes POST at both push paths, behind any prefix', () => {
    for (const path of ['/loki/api/v1/push', '/api/prom/push', '/a/b/loki/api/v1/push']) {
      expect(route('POST', path)).toEqual({ kind: 'ingest', maxBodyBytes: 7 });
      expect(route('GET', path)).toEqual({ kind: 'method_not_allowed', allow: ['POST'] });
    }
    for (const path of ['/', '/ready', '/push', '/loki/api/v1/pushx', '/otlp/v1/logs']) {
      expect(route('POST', path)).toBeUndefined();
    }
  });

  it.each([
    ['auth_unauthenticated', 401],
    ['ingest_malformed_body', 400],
    ['request_unsupported_media_type', 400],
    ['request_body_too_large', 413],
    ['ingest_backpressure', 503],
    ['node_internal', 503],
  ] as const)('answers %s with %i', (code, status) => {
    const head = createRig().request();
    expect(endpoint.protocol.replyToError(new NodeError(code, 'what to do'), head)).toMatchObject({
      status,
      body: 'what to do\n',
    });
  });
});
