import protobuf from 'protobufjs/minimal.js';
import { describe, expect, it } from 'vitest';
import {
  createBuilder,
  decodeOtlp,
  nowNs,
  otlpRequest,
  rowsOf,
} from '../../../test/fixture/otlp-decode.ts';
import { encodeJson, encodeProtobuf } from '../../../test/fixture/otlp-encode.ts';
import { sampleLogs } from '../../../test/fixture/otlp-sample.ts';
import { NodeError } from '../../base/errors.ts';
import { otlpEndpoint, otlpProtocol } from './index.ts';

const body = encodeProtobuf(sampleLogs);
const jsonBody = encodeJson(sampleLogs);
const json = 'application/json';

const code = (name: string) => expect.objectContaining({ code: name });
const fromText = (text: string, contentType: string | null = json) =>
  decodeOtlp(Buffer.from(text), { contentType });
const withRecord = (record: string): string =>
  `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${record}]}]}]}`;
const rowOfJson = (record: string) => rowsOf(fromText(withRecord(record)).builder)[0];

/** Fields of a message as [number, value] with nested messages left as bytes. */
function fieldsOf(message: Uint8Array | string): [number, number | Uint8Array][] {
  expect(message).toBeInstanceOf(Uint8Array);
  const reader = protobuf.Reader.create(message as Uint8Array);
  const fields: [number, number | Uint8Array][] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    fields.push([tag >>> 3, (tag & 7) === 0 ? reader.uint32() : reader.bytes()]);
  }
  return fields;
}
const textOf = (value: number | Uint8Array | undefined): string =>
  Buffer.from(value as Uint8Array).toString();

describe('the rows of a request', () => {
  it('hold everything its sender said', () => {
    const { builder, decoded } = decodeOtlp(body);
    expect(decoded).toMatchObject({ received: 2, stored: 2, deduplicated: 0, rejected: {} });
    expect(rowsOf(builder)[0]).toEqual({
      timestamp_ns: 1_699_999_999_123_456_789n,
      service: 'checkout',
      body: 'order 4711 placed für Zoë',
      idempotency_key: 'otlp:01HF3Z',
      attributes: [
        ['http.request.method', 'POST'],
        ['http.response.status_code', '201'],
        ['duration_ms', '12.5'],
        ['cached', 'false'],
        ['nothing', null],
        ['user.id', 'u-1'],
        ['user.raw', 'Af8='],
        ['tags', '["a\\"b",-9223372036854775808]'],
        ['severity', 'INFO'],
        ['severity_number', '9'],
        ['severity_text', 'Information'],
        ['trace_id', 'a0a1a2a3a4a5a6a7a8a9aaabacadaeaf'],
        ['span_id', 'f0f1f2f3f4f5f6f7'],
        ['trace_flags', '1'],
        ['event_name', 'order.placed'],
        ['dropped_attributes_count', '1'],
        ['otel.scope.name', 'shop'],
        ['otel.scope.version', '1.2.0'],
        ['team', 'orders'],
        ['service.name', 'checkout'],
        ['host.name', 'web-1'],
      ],
      host: 'web-1',
      env: null,
      namespace: null,
    });
    expect(rowsOf(builder)[1]).toMatchObject({
      timestamp_ns: 1_699_999_999_200_000_000n,
      service: 'unknown_service',
      body: '{"msg":"hi"}',
      env: 'prod',
    });
  });

  it('keep 64-bit integers exact whether they are strings or numbers', () => {
    const time = 1_699_999_999_123_456_789n;
    for (const quote of ['"', '']) {
      const row = rowOfJson(
        `{"timeUnixNano":${quote}${time}${quote},"body":{"intValue":${quote}9007199254740993${quote}}}`,
      );
      expect(row).toMatchObject({ timestamp_ns: time, body: '9007199254740993' });
    }
    expect(rowOfJson('{"timeUnixNano":1.5e18,"body":{"intValue":"007"}}')).toMatchObject({
      timestamp_ns: 1_500_000_000_000_000_000n,
      body: '7',
    });
  });

  it('take lenient spellings: enum names, ids of any case, unpadded and URL-safe base64', () => {
    const row = rowOfJson(`{"severityNumber":"SEVERITY_NUMBER_WARN2","traceId":"${'AB'.repeat(16)}",
      "span_id":null,"body":{"bytesValue":"-_8"}}`);
    expect(row?.body).toBe('+/8=');
    expect(row?.attributes).toEqual([
      ['severity', 'WARN'],
      ['severity_number', '14'],
      ['trace_id', 'ab'.repeat(16)],
    ]);
  });

  it('treat ids of a wrong length or form as absent', () => {
    for (const id of [
      '""',
      `"${'0'.repeat(32)}"`,
      '"abc"',
      `"${'g'.repeat(32)}"`,
      '7',
      '"q83vEjRWeJCrze8SNFZ4kA=="',
    ]) {
      expect(rowOfJson(`{"traceId":${id}}`)?.attributes).toEqual([]);
    }
  });

  it('clamp times that do not fit or are negative, and use arrival when there is none', () => {
    const times = ['-5', '"18446744073709551615"', '1e30', '-1e30', '0', 'null'].map(
      (time) => rowOfJson(`{"timeUnixNano":${time}}`)?.timestamp_ns,
    );
    expect(times).toEqual([0n, nowNs + 1000n, nowNs + 1000n, 0n, nowNs, nowNs]);
  });

  it.each([
    '{"timeUnixNano":"soon"}',
    '{"timeUnixNano":{}}',
    '{"severityText":1}',
    '{"body":"text"}',
    '{"body":{"stringValue":1}}',
    '{"body":{"boolValue":"true"}}',
    '{"body":{"intValue":1.5}}',
    '{"body":{"intValue":"0x10"}}',
    '{"body":{"doubleValue":"1.5 "}}',
    '{"body":{"bytesValue":"*"}}',
    '{"body":{"arrayValue":[]}}',
    '{"attributes":{}}',
    '{"attributes":[{"key":1}]}',
  ])('are refused when a field is of the wrong kind: %s', (record) => {
    expect(() => fromText(withRecord(record))).toThrow(code('ingest_malformed_body'));
  });
});

describe('a request that is not decoded', () => {
  it.each(['/v1/logs', '/otlp/v1/logs', '/some/prefix/v1/logs'])('is taken at %s', (path) => {
    expect(decodeOtlp(body, { request: { path } }).decoded.stored).toBe(2);
  });

  it.each(['/', '/v1/traces', '/v1/logs/x', '/xv1/logs'])('is not found at %s', (path) => {
    expect(() => decodeOtlp(body, { request: { path } })).toThrow(code('request_not_found'));
    expect(otlpEndpoint.route({ method: 'POST', path, query: '', headers: {} })).toBeUndefined();
  });

  it('must be a POST', () => {
    expect(() => decodeOtlp(body, { request: { method: 'GET' } })).toThrow(
      code('request_method_not_allowed'),
    );
    const route = otlpEndpoint.route({ method: 'GET', path: '/v1/logs', query: '', headers: {} });
    expect(route).toEqual({ kind: 'method_not_allowed', allow: ['POST'] });
  });

  it('must have a content type of OTLP, with any parameters, or none', () => {
    const types = ['Application/JSON; charset=utf-8', 'application/json'];
    for (const contentType of types)
      expect(decodeOtlp(jsonBody, { contentType }).decoded.stored).toBe(2);
    expect(decodeOtlp(body, { contentType: 'application/protobuf' }).decoded.stored).toBe(2);
    for (const bytes of [body, jsonBody])
      expect(decodeOtlp(bytes, { contentType: null }).decoded.stored).toBe(2);
    expect(() => decodeOtlp(body, { contentType: 'text/plain' })).toThrow(
      code('request_unsupported_media_type'),
    );
    const headers = { 'content-type': 'text/plain' };
    const route = otlpEndpoint.route({ method: 'POST', path: '/v1/logs', query: '', headers });
    expect(route).toMatchObject({ kind: 'reply', reply: { status: 415 } });
  });
});

describe('the reply', () => {
  it('is empty, and in the encoding and under the name of the request, when all is stored', () => {
    for (const contentType of ['application/x-protobuf', 'application/protobuf']) {
      const reply = decodeOtlp(body, { contentType }).decoded.reply();
      expect(reply).toEqual({
        status: 200,
        headers: { 'content-type': contentType },
        body: new Uint8Array(0),
      });
    }
    const reply = decodeOtlp(jsonBody, { contentType: json }).decoded.reply();
    expect(reply).toEqual({ status: 200, headers: { 'content-type': json }, body: '{}' });
    expect(decodeOtlp(new Uint8Array(0)).decoded.reply().body).toHaveLength(0);
  });

  it('counts events refused for their time as a partial success', () => {
    const timestamps = { maxFutureNs: 0n, maxAgeNs: 950_000_000n, action: 'reject' } as const;
    const decode = (bytes: Uint8Array, contentType: string) =>
      decodeOtlp(bytes, { contentType, builder: createBuilder({ timestamps }) }).decoded;
    const decoded = decode(body, 'application/x-protobuf');
    expect(decoded).toMatchObject({
      received: 2,
      stored: 1,
      rejected: { ingest_timestamp_out_of_range: 1 },
    });
    const [[number, partial] = [0, 0]] = fieldsOf(decoded.reply().body);
    expect(number).toBe(1);
    const [rejected, message] = fieldsOf(partial as Uint8Array);
    expect([rejected, message?.[0]]).toEqual([[1, 1], 2]);
    expect(textOf(message?.[1])).toMatch(/time outside the allowed range/);
    expect(JSON.parse(String(decode(jsonBody, json).reply().body))).toEqual({
      partialSuccess: { rejectedLogRecords: '1', errorMessage: textOf(message?.[1]) },
    });
  });

  it('warns when a body holds no records', () => {
    const reply = JSON.parse(String(fromText('{"resourceSpans":[{}]}').decoded.reply().body));
    expect(reply).toEqual({
      partialSuccess: { errorMessage: expect.stringMatching(/no log records/) },
    });
    const spans = protobuf.Writer.create().uint32(10).bytes(new Uint8Array(0)).finish();
    const [[, partial] = [0, 0]] = fieldsOf(decodeOtlp(spans).decoded.reply().body);
    expect(fieldsOf(partial as Uint8Array)).toEqual([[2, expect.anything()]]);
  });

  it.each([
    ['ingest_malformed_body', 400, 3],
    ['auth_unauthenticated', 401, 16],
    ['request_method_not_allowed', 405, 12],
    ['request_body_too_large', 413, 8],
    ['request_unsupported_media_type', 415, 3],
    ['ingest_backpressure', 503, 14],
    ['node_internal', 503, 14],
  ] as const)('to %s is %i with a google.rpc.Status', (name, status, rpcCode) => {
    const error = new NodeError(name, 'what to do', { retryAfterMs: 1500 });
    for (const contentType of ['application/x-protobuf', json, 'text/plain']) {
      const reply = otlpProtocol.replyToError(
        error,
        otlpRequest({ headers: { 'content-type': contentType } }),
      );
      expect(reply.status).toBe(status);
      expect(reply.headers['retry-after']).toBe(status === 503 ? '2' : undefined);
      if (contentType === 'application/x-protobuf') {
        const [first, second] = fieldsOf(reply.body);
        expect([first, second?.[0], textOf(second?.[1])]).toEqual([[1, rpcCode], 2, 'what to do']);
      } else {
        expect(reply.headers['content-type']).toBe(json);
        expect(JSON.parse(String(reply.body))).toEqual({ code: rpcCode, message: 'what to do' });
      }
    }
  });
});

it('stores a record with a uid once', () => {
  const seen = new Set<string>();
  const first = decodeOtlp(body, { builder: createBuilder({ seen }) });
  expect(first.decoded).toMatchObject({ received: 2, stored: 2, deduplicated: 0 });
  const second = decodeOtlp(jsonBody, { contentType: json, builder: createBuilder({ seen }) });
  expect(second.decoded).toMatchObject({ received: 2, stored: 1, deduplicated: 1 });
});

it('rejects the whole batch for one event over a cap', () => {
  for (const limits of [{ maxAttributes: 9 }, { maxEventBytes: 100 }]) {
    const builder = createBuilder({ limits });
    expect(() => decodeOtlp(body, { builder })).toThrow(/nothing of the batch was stored/);
  }
});
