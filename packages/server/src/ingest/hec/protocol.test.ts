import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { IngestRig, nowNs, type StoredEvent } from '../../../test/fixture/ingest-rig.ts';
import { createHecProtocol } from './index.ts';

const success = '{"text":"Success","code":0}';
const path = '/services/collector/event';
const channel = { 'x-splunk-request-channel': '11111111-2222-3333-4444-555555555555' };

function createRig(
  options: { idField?: string; ack?: boolean } = {},
  rig?: ConstructorParameters<typeof IngestRig>[1],
): IngestRig {
  const { ack = true, idField } = options;
  return new IngestRig(createHecProtocol({ ack, idField }), rig);
}

function rowsOf(body: string | Uint8Array, overrides: object = {}): readonly StoredEvent[] {
  const rig = createRig();
  const reply = rig.send(body, { path, ...overrides });
  expect([reply.status, reply.body]).toEqual([200, success]);
  return rig.rows();
}

/** The only event of an envelope with these members. */
const eventOf = (members: object): StoredEvent | undefined => rowsOf(JSON.stringify(members))[0];

describe('an event', () => {
  it('holds everything its sender said', () => {
    const row = eventOf({
      time: '1767323044.123456789',
      host: 'h1',
      source: '/var/log/x',
      sourcetype: 'access',
      index: 'main',
      event: { message: 'slow', level: 'warn', http: { status: 200 }, tags: ['a', 1], no: null },
      fields: { env: 'prod', n: 1.5, list: ['x', 'y'], nothing: null },
      other: { a: true },
    });
    expect(row).toEqual({
      timestamp_ns: 1_767_323_044_123_456_789n,
      source: '/var/log/x',
      service: 'access',
      body: 'slow',
      idempotency_key: null,
      attributes: {
        'host.name': 'h1',
        sourcetype: 'access',
        index: 'main',
        level: 'warn',
        'http.status': '200',
        tags: '["a",1]',
        no: null,
        env: 'prod',
        n: '1.5',
        list: '["x","y"]',
        nothing: null,
        'other.a': 'true',
        severity: 'WARN',
        severity_number: '13',
      },
      host: 'h1',
      env: 'prod',
      namespace: null,
      tenant: 'default',
    });
  });

  it('has what it leaves out from the query string, else the listener', () => {
    const query = 'host=q%20h&source=qs&sourcetype=qt&index=qi&auto_extract_timestamp=true';
    const [own, other] = rowsOf('{"event":"a"}{"event":"b","host":"h","source":"s","index":""}', {
      query,
    });
    expect(own).toMatchObject({ host: 'q h', source: 'qs', service: 'qt', timestamp_ns: nowNs });
    expect(own?.attributes).toMatchObject({ index: 'qi', sourcetype: 'qt' });
    expect(other).toMatchObject({ host: 'h', source: 's', attributes: { index: 'qi' } });
    expect(eventOf({ event: 'a' })).toMatchObject({
      source: 'hec',
      service: 'unknown_service',
      timestamp_ns: nowNs,
      attributes: {},
    });
  });

  it.each([
    ['1767323044', 1_767_323_044_000_000_000n],
    ['1767323044.123456789', 1_767_323_044_123_456_789n],
    ['"1767323044.5"', 1_767_323_044_500_000_000n],
    ['1767323044123', 1_767_323_044_123_000_000n],
    ['1767323044123456', 1_767_323_044_123_456_000n],
    ['1767323044123456789', 1_767_323_044_123_456_789n],
    ['"2026-01-02T03:04:04Z"', 1_767_323_044_000_000_000n],
    ['-1', 0n],
    ['null', nowNs],
    ['""', nowNs],
  ])('with the time %s is stored at %s', (time, expected) => {
    expect(rowsOf(`{"time":${time},"event":"x"}`)[0]?.timestamp_ns).toBe(expected);
  });

  it.each([
    ['text', 'text'],
    [5, '5'],
    [true, 'true'],
    [['a', { b: 1 }], '["a",{"b":1}]'],
    [{ a: 1, b: { c: [2] } }, '{"a":1,"b":{"c":[2]}}'],
    [{}, '{}'],
    [{ line: 'docker', source: 'stderr', tag: 't' }, 'docker'],
    [{ msg: 'second', message: 'first' }, 'first'],
    [{ message: '', log: 'x' }, 'x'],
    [{ message: { msg: 'inner', meta: { a: 1 } }, severity: 'info' }, 'inner'],
  ])('%j has the body %s', (event, body) => {
    expect(eventOf({ event })?.body).toBe(body);
  });

  it('keeps as attributes the members that might have been its message', () => {
    const event = { line: 'l', msg: 'm', message: 'first' };
    expect(eventOf({ event })?.attributes).toEqual({ line: 'l', msg: 'm' });
    expect(eventOf({ event: 'x', fields: { message: 'm' } })?.attributes).toEqual({ message: 'm' });
  });

  it.each([
    [{ event: 'x', sourcetype: 'st', fields: { 'service.name': 'svc' } }, 'svc'],
    [{ fields: { 'service.name': 'svc' }, sourcetype: 'st', event: 'x' }, 'svc'],
    [{ event: { service: { name: 'nested' } }, sourcetype: 'st' }, 'nested'],
    [{ event: 'x', sourcetype: 'st' }, 'st'],
    [{ event: 'x', sourcetype: '_json' }, 'unknown_service'],
  ])('%j belongs to the service %s', (members, service) => {
    expect(eventOf(members)?.service).toBe(service);
  });

  it.each([
    [{ event: 'level=error x' }, 'ERROR', '17'],
    [{ event: 'level=error x', fields: { severity: 'debug' } }, 'DEBUG', '5'],
    [
      {
        event: 'x',
        fields: { 'otel.log.severity.text': 'Info', 'otel.log.severity.number': '14' },
      },
      'WARN',
      '14',
    ],
  ])('%j has a level', (members, name, number) => {
    expect(eventOf(members)?.attributes).toMatchObject({ severity: name, severity_number: number });
  });

  it('counts the first of members that come twice', () => {
    const [row] = rowsOf(
      '{"event":"a","event":{"message":"b"},"source":"s","source":"t","time":1,"time":2}',
    );
    expect(row).toMatchObject({ body: 'a', source: 's', timestamp_ns: 1_000_000_000n });
  });

  it('is stored once when a field of it is configured as its id', () => {
    const rig = createRig({ idField: 'uid' });
    const body = '{"event":"a","fields":{"uid":"1"}}{"event":{"uid":2,"m":1}}{"event":"b"}';
    expect(rig.decode(body, { path }).stored).toBe(3);
    expect(rig.decode(body, { path })).toMatchObject({ received: 3, stored: 1, deduplicated: 2 });
    const ids = rig.rows().map((row) => row.idempotency_key);
    expect(ids).toEqual(['hec:1', 'hec:2', null, null]);
  });
});

describe('a body', () => {
  it.each([
    '{"event":"a"}{"event":"b"}',
    '{"event":"a"}\n{"event":"b"}\n',
    ' {"event":"a"},\r\n\t{"event":"b"},',
    '[{"event":"a"},{"event":"b"}]',
    '[{"event":"a"}]{"event":"b"}[]',
    '{\n  "event": "a"\n}\n{\n  "event": "b"\n}',
  ])('holds events one after the other: %j', (body) => {
    expect(rowsOf(body).map((row) => row.body)).toEqual(['a', 'b']);
  });

  it('may be gzip', () => {
    const headers = { 'content-encoding': 'gzip' };
    expect(rowsOf(gzipSync('{"event":"a"}'), { headers })).toHaveLength(1);
  });

  it.each<[string, number, number | undefined]>([
    ['', 5, undefined],
    [' \n', 5, undefined],
    ['[]', 5, undefined],
    ['x', 6, 0],
    ['{"event":"a"', 6, 0],
    ['{"event":"a"}{"event":"b"]', 6, 1],
    ['{"event":"a"}null', 6, 1],
    ['[{"event":"a"},1]', 6, 1],
    ['{"event":"a","time":"soon"}', 6, 0],
    ['{"event":"a","time":{}}', 6, 0],
    ['{"event":"a","host":["h"]}', 6, 0],
    ['{"event":"a"}{}', 12, 1],
    ['{"time":1,"fields":{"message":"m"}}', 12, 0],
    ['{"event":null}', 12, 0],
    ['{"event":"a"}{"event":"a"}{"event":""}', 13, 2],
    ['{"event":"a","fields":{"b":{"c":1}}}', 15, 0],
    ['{"event":"a","fields":["b"]}', 15, 0],
  ])('%j is refused as a whole with code %i', (body, code, eventNumber) => {
    const rig = createRig();
    const { status, body: text } = rig.send(body, { path });
    expect(status).toBe(400);
    const reply = JSON.parse(text) as Record<string, unknown>;
    expect([reply['code'], reply['invalid-event-number']]).toEqual([code, eventNumber]);
    expect(rig.builder.rows).toBe(0);
  });

  it('with an event over a cap or out of time is refused as a whole, by its number', () => {
    const rigs = [
      createRig({}, { limits: { maxEventBytes: 30 } }),
      createRig({}, { limits: { maxAttributes: 0 } }),
      createRig({}, { timestamps: { action: 'reject' } }),
    ];
    const body = `{"event":"a"}{"time":4000000000,"event":"${'x'.repeat(40)}","fields":{"a":"b"}}`;
    for (const rig of rigs) {
      const { status, body: text } = rig.send(body, { path });
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ code: 6, 'invalid-event-number': 1 });
      expect(rig.builder.rows).toBe(0);
    }
  });

  it('over the limit after decompression is refused with 413', () => {
    const body = gzipSync(`{"event":"${'x'.repeat(5000)}"}`);
    const headers = { 'content-encoding': 'gzip' };
    expect(createRig().send(body, { path, headers, maxBodyBytes: 4000 }).status).toBe(413);
  });
});

describe('a raw body', () => {
  const raw = '/services/collector/raw/1.0';

  it('is an event per line, with the metadata of the query string', () => {
    const body = Buffer.from('one\r\n\n  \nERROR two\nthr\xe9e', 'latin1');
    const rows = rowsOf(body, { path: raw, query: 'sourcetype=syslog&host=h&source=s' });
    expect(rows.map((row) => row.body)).toEqual(['one', 'ERROR two', 'thr\ufffde']);
    expect(rows[1]).toMatchObject({
      service: 'syslog',
      source: 's',
      host: 'h',
      timestamp_ns: nowNs,
      attributes: {
        'host.name': 'h',
        sourcetype: 'syslog',
        severity: 'ERROR',
        severity_number: '17',
      },
    });
  });

  it('without a line is no data', () => {
    expect(createRig().send('\n \n', { path: raw })).toMatchObject({
      status: 400,
      body: '{"text":"No data","code":5}',
    });
  });
});

describe('acknowledgement', () => {
  const ackPath = '/services/collector/ack';
  const send = (rig: IngestRig, headers: Record<string, string> = channel): string =>
    rig.send('{"event":"a"}', { path, headers }).body;

  it('counts the requests of a channel, and tells each once', () => {
    const rig = createRig();
    expect(send(rig)).toBe('{"text":"Success","code":0,"ackId":0}');
    expect(send(rig)).toBe('{"text":"Success","code":0,"ackId":1}');
    expect(send(rig, { 'x-splunk-request-channel': 'other' })).toContain('"ackId":0');
    const ask = (overrides: object): string =>
      rig.send('{"acks":[0,1,2]}', { path: ackPath, ...overrides }).body;
    expect(ask({ headers: channel, tenant: 'x' })).toBe('{"acks":{"0":false,"1":false,"2":false}}');
    const query = `channel=${channel['x-splunk-request-channel']}`;
    expect(ask({ query })).toBe('{"acks":{"0":true,"1":true,"2":false}}');
    expect(ask({ headers: channel })).toBe('{"acks":{"0":false,"1":false,"2":false}}');
    expect(rig.builder.rows).toBe(3);
  });

  it('is left out of requests without a channel, of refused ones, and when it is off', () => {
    const rig = createRig();
    expect(send(rig, {})).toBe(success);
    rig.send('{"event":""}', { path, headers: channel });
    expect(send(rig)).toContain('"ackId":0');
    expect(send(createRig({ ack: false }))).toBe(success);
  });

  it.each([
    ['{"acks":[0]}', {}, true, 10],
    ['{"acks":[0]}', { 'x-splunk-request-channel': 'no channel' }, true, 11],
    ['{"acks":[0]}', channel, false, 14],
    ['', channel, true, 5],
    ['{"acks":{}}', channel, true, 6],
    ['{"acks":["0"]}', channel, true, 6],
    ['[0]', channel, true, 6],
    ['{', channel, true, 6],
  ])('asked for with %s and %j is refused', (body, headers, ack, code) => {
    const reply = createRig({ ack }).send(body, { path: ackPath, headers });
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({ code });
  });
});
