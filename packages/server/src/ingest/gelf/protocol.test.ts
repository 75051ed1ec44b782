import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nowNs, ProtocolRig } from '../../../test/fixture/protocol-rig.ts';
import { FrameListWriter } from './frame-list.ts';
import { createGelfProtocols, type GelfProtocolOptions } from './protocol.ts';

const encoder = new TextEncoder();

function rigOf(options: Partial<GelfProtocolOptions> = {}, limits = {}): ProtocolRig {
  return new ProtocolRig(createGelfProtocols({ maxMessageBytes: 10_000, ...options }), limits);
}

function sendHttp(body: string | Uint8Array, options: Partial<GelfProtocolOptions> = {}) {
  const rig = rigOf(options);
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const decoded = rig.decode({ protocol: 'gelf', listener: 'gelf_http', body: bytes });
  return { decoded, rows: rig.rows() };
}

function sendFrames(messages: readonly (string | Uint8Array)[], rig = rigOf()) {
  const list = new FrameListWriter();
  for (const message of messages) {
    list.add('10.1.2.3', typeof message === 'string' ? encoder.encode(message) : message);
  }
  const { body } = list.take();
  const decoded = rig.decode({ protocol: 'gelf_frames', listener: 'gelf_udp', body });
  return { decoded, rows: rig.rows() };
}

const one = (message: object) => sendHttp(JSON.stringify(message)).rows[0];

describe('the fields of a message', () => {
  it('become time, host, text, severity and attributes', () => {
    expect(
      one({
        version: '1.1',
        host: 'web-1',
        short_message: 'disk is full',
        full_message: 'disk is full\nat /var',
        timestamp: 1767323044.123456,
        level: 3,
        line: 356,
        file: '/app/a.c',
        _user: 'ann',
        _ratio: 0.5,
        _env: 'prod',
        _ok: true,
        _nested: { a: { b: 1 }, c: [1, 2] },
        _none: null,
        __double: 'kept',
        _id: 'reserved',
        extra: 'no underscore',
      }),
    ).toEqual({
      timestamp_ns: 1_767_323_044_123_456_000n,
      source: 'gelf_http',
      service: 'unknown_service',
      body: 'disk is full\nat /var',
      idempotency_key: null,
      host: 'web-1',
      env: 'prod',
      namespace: null,
      tenant: 'default',
      attributes: {
        'host.name': 'web-1',
        level: '3',
        line: '356',
        file: '/app/a.c',
        user: 'ann',
        ratio: '0.5',
        env: 'prod',
        ok: 'true',
        'nested.a.b': '1',
        'nested.c': '[1,2]',
        _double: 'kept',
        id: 'reserved',
        extra: 'no underscore',
        severity: 'ERROR',
        severity_number: '17',
      },
    });
  });

  it.each([
    [{ short_message: '  ', message: 'other name' }, 'other name', {}],
    [{ full_message: 'long', short_message: null }, 'long', {}],
    [{ message: 'm', full_message: 'f' }, 'm', { full_message: 'f' }],
    [{ message: 'm', short_message: 's' }, 's', { message: 'm' }],
    [{ full_message: 'trace', short_message: 's' }, 's', { full_message: 'trace' }],
    [{ full_message: 'same', short_message: 'same' }, 'same', {}],
    [{ short_message: { a: 1 } }, '{"a":1}', {}],
    [{ short_message: 42 }, '42', {}],
    [{ _only: 'fields' }, null, { only: 'fields' }],
  ])('%j has the body %j', (message, body, attributes) => {
    expect(one(message)).toMatchObject({ body, attributes });
  });

  it.each([
    [0, 'FATAL'],
    [1, 'ERROR'],
    [2, 'ERROR'],
    ['4', 'WARN'],
    [5, 'INFO'],
    ['6.0', 'INFO'],
    [7, 'DEBUG'],
    ['Warning', 'WARN'],
    [30, undefined],
    ['loud', undefined],
  ])('level %j is the severity %s', (level, severity) => {
    const event = one({ short_message: 'x', level });
    expect(event?.attributes['severity']).toBe(severity);
    expect(event?.attributes['level']).toBe(String(level));
  });

  it.each([
    ['1767323044.5', 1_767_323_044_500_000_000n],
    [1_767_323_044_500, 1_767_323_044_500_000_000n],
    [0, nowNs],
    [-5, nowNs],
    [null, nowNs],
    ['soon', nowNs],
  ])('timestamp %j is the time %s', (timestamp, time) => {
    expect(one({ short_message: 'x', timestamp })?.timestamp_ns).toBe(time);
  });

  it.each([
    [{ _app: 'a', _container_name: 'c', facility: 'f', _service: 's' }, 's'],
    [{ _app: 'a', _container_name: 'c', _facility: 'f' }, 'f'],
    [{ _container_name: 'c', _app: 'a' }, 'c'],
    [{ _app: 'a' }, 'a'],
    [{ _service: 's', '_service.name': 'configured' }, 'configured'],
  ])('%j comes from the service %s', (fields, service) => {
    expect(one({ short_message: 'x', ...fields })?.service).toBe(service);
  });
});

describe('an HTTP body', () => {
  it('may hold several messages behind each other', () => {
    const { decoded, rows } = sendHttp('{"message":"a"}\r\n{"message":"b"}\n{\n"message":"c"\n}\n');
    expect(rows.map(({ body }) => body)).toEqual(['a', 'b', 'c']);
    expect(decoded).toMatchObject({ received: 3, stored: 3, rejected: {} });
    expect(decoded.reply()).toMatchObject({ status: 202, body: '' });
  });

  it('is stored as a whole or not at all', () => {
    const rig = rigOf();
    const body = encoder.encode('{"message":"a"}\n{oops}');
    expect(() => rig.decode({ protocol: 'gelf', body })).toThrow(
      expect.objectContaining({ code: 'ingest_malformed_body' }),
    );
    expect(rig.rows()).toEqual([]);
  });

  it.each(['', '  ', '{}', '{"host":"h","version":"1.1"}', '[]', '"x"', '{"a":1}]'])(
    'is refused when it is %j',
    (body) => {
      expect(() => sendHttp(body)).toThrow(
        expect.objectContaining({ code: 'ingest_malformed_body' }),
      );
    },
  );

  it('has no host when it names none', () => {
    expect(one({ short_message: 'x' })?.host).toBeNull();
  });
});

describe('faults of embedded senders', () => {
  it.each([
    ['a trailing comma', '{"short_message":"x","_a":[1,2,],}', { a: '[1,2]' }],
    ['raw control characters', '{"short_message":"x","_a":"1\n2\t3"}', { a: '1\n2\t3' }],
    [
      'an escaped quote and a comma in a string',
      '{"short_message":"x","_a":"\\",}\n",}',
      { a: '",}\n' },
    ],
    ['a NUL at the end', '{"short_message":"x","_a":"1"}\0\0', { a: '1' }],
  ])('%s is repaired', (_, message, attributes) => {
    const { rows } = sendFrames([message]);
    expect(rows).toMatchObject([{ body: 'x', attributes }]);
  });

  it('a text that is no UTF-8 is stored with replacement characters', () => {
    const { rows } = sendFrames([Buffer.from('{"short_message":"caf\xe9"}', 'latin1')]);
    expect(rows).toMatchObject([{ body: 'caf\ufffd' }]);
  });

  it('does not read a message again that came before the fault', () => {
    const rig = rigOf({ idField: '_event_id' });
    const message = '{"message":"a","_event_id":"1"}{"message":"b","_event_id":"2",}';
    const { decoded, rows } = sendFrames([message], rig);
    expect(decoded).toMatchObject({ received: 2, stored: 2, deduplicated: 0 });
    expect(rows.map(({ body }) => body)).toEqual(['a', 'b']);
  });
});

describe('messages of the socket listeners', () => {
  it('may be compressed, each in its own way', () => {
    const { rows } = sendFrames([
      '{"message":"plain"}',
      gzipSync('{"message":"gzip"}'),
      deflateSync('{"message":"zlib"}'),
      deflateSync('{"message":"best"}', { level: 9 }),
    ]);
    expect(rows.map(({ body }) => body)).toEqual(['plain', 'gzip', 'zlib', 'best']);
  });

  it('cost no other message when they cannot be taken', () => {
    const bomb = gzipSync(Buffer.alloc(20_000, 'a'));
    const { decoded, rows } = sendFrames([
      '{"message":"first"}',
      '{oops',
      bomb,
      gzipSync('{"message":"cut"}').subarray(0, 20),
      `{"message":"${'a'.repeat(10_000)}"}`,
      '{"message":"last"}',
    ]);
    expect(rows.map(({ body }) => body)).toEqual(['first', 'last']);
    expect(decoded).toMatchObject({
      received: 6,
      stored: 2,
      rejected: { ingest_malformed_body: 2, request_body_too_large: 2 },
    });
  });

  it('over a cap of events are refused alone', () => {
    const rig = rigOf({}, { maxEventBytes: 100, maxAttributes: 3 });
    const { decoded } = sendFrames(
      [`{"message":"${'a'.repeat(200)}"}`, '{"_a":1,"_b":1,"_c":1,"_d":1}', '{"message":"ok"}'],
      rig,
    );
    expect(decoded).toMatchObject({
      received: 3,
      stored: 1,
      rejected: { ingest_event_too_large: 1, ingest_too_many_attributes: 1 },
    });
  });

  it('come from their peer when they name no host', () => {
    const { rows } = sendFrames([
      '{"message":"a"}',
      '{"message":"b","host":" "}',
      '{"_c":1,"host":"h"}',
    ]);
    expect(rows.map(({ host }) => host)).toEqual(['10.1.2.3', '10.1.2.3', 'h']);
  });
});

describe('the configured id field', () => {
  it.each(['_event_id', 'event_id'])('%s makes a repeated message be stored once', (idField) => {
    const rig = rigOf({ idField });
    const message = '{"message":"a","_event_id":"abc"}';
    sendFrames([message], rig);
    const { decoded, rows } = sendFrames([message, '{"message":"b"}'], rig);
    expect(decoded).toMatchObject({ received: 2, stored: 1, deduplicated: 1 });
    expect(rows.map((row) => row.idempotency_key)).toEqual(['gelf:abc', null]);
    expect(rows[0]?.attributes).toMatchObject({ event_id: 'abc' });
  });

  it('is off by default, because other products number kinds of events with it', () => {
    const message = '{"message":"logon","_event_id":4624}';
    expect(sendFrames([message, message]).decoded).toMatchObject({ stored: 2 });
  });
});
