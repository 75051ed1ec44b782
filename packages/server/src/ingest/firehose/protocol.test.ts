import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBuilder } from '../../../test/fixture/otlp-decode.ts';
import { decode, deliveryBody, headers, requestId, requestTimeMs } from './firehose.fixture.ts';

const bodiesOf = (...data: readonly (string | Uint8Array)[]) =>
  decode(deliveryBody(...data)).rows.map(({ body }) => body);

const envelope = (overrides: object = {}): string =>
  JSON.stringify({
    messageType: 'DATA_MESSAGE',
    owner: '210987654321',
    logGroup: '/aws/lambda/checkout',
    logStream: '2026/01/02/[$LATEST]abc',
    subscriptionFilters: ['all'],
    logEvents: [
      { id: '3195310660696698337', timestamp: 1_699_999_980_000, message: 'ERROR card declined' },
      {
        id: '3195310660696698338',
        timestamp: 1_699_999_980_001,
        message: '{"level":"warn","text":"x"}',
        extractedFields: { code: '7' },
      },
    ],
    ...overrides,
  });

describe('a record', () => {
  it('of lines gives an event for each', () => {
    expect(bodiesOf('one\r\n  two\n\n \nthree\n', '', 'four')).toEqual([
      'one',
      '  two',
      'three',
      'four',
    ]);
  });

  it('of JSON objects gives an event for each, whatever stands between them', () => {
    const objects = '{"message":"a","n":1}{"message":"b"}\n {"message":"c"},{"message":"d"}';
    const { rows } = decode(deliveryBody(objects));
    expect(rows.map(({ body }) => body)).toEqual(['a', 'b', 'c', 'd']);
    expect(rows[0]?.attributes['n']).toBe('1');
    expect(bodiesOf('{\n  "message": "pretty"\n}\n')).toEqual(['pretty']);
  });

  it('compressed with gzip, in one member or several, is inflated', () => {
    const twice = Buffer.concat([gzipSync('one\n'), gzipSync('two')]);
    expect(bodiesOf(gzipSync('{"message":"x"}'), twice)).toEqual(['x', 'one', 'two']);
  });

  it('that mixes objects and text keeps both', () => {
    expect(bodiesOf('{"message":"a"} tail\n{"broken": \nline {"not":"an object"}')).toEqual([
      'a',
      ' tail',
      '{"broken": ',
      'line {"not":"an object"}',
    ]);
  });

  it.each([
    ['an object that is cut', '{"a":1,"b":'],
    ['an object with a wrong token', '{"a":tru}'],
    ['nesting without end', '{"a":'.repeat(500)],
    ['an array', '[1,2]'],
    ['a number', '42'],
  ])('that is %s is kept as text', (_, data) => {
    expect(bodiesOf(data)).toEqual([data]);
  });

  it('whose data is no base64, or no gzip although it begins so, is kept as it came', () => {
    const broken = Buffer.from([0x1f, 0x8b, 8, 0, 1, 2]).toString('base64');
    const records = [{ data: 'not base64!' }, { data: broken }, { data: 'YQ' }];
    const { rows } = decode(Buffer.from(JSON.stringify({ records })));
    expect(rows.map(({ body }) => body)).toEqual(['not base64!', broken, 'a']);
    expect(rows.map(({ attributes }) => attributes['firehose.record.encoding'])).toEqual([
      'base64',
      'base64',
      undefined,
    ]);
  });

  it('that is not UTF-8 is repaired', () => {
    expect(bodiesOf(Buffer.from([0x61, 0xff, 0x62]))).toEqual(['a\ufffdb']);
  });

  it('without data holds nothing', () => {
    const { decoded } = decode(Buffer.from('{"records":[{},{"data":null},{"data":"","x":[]}]}'));
    expect(decoded).toMatchObject({ received: 0, stored: 0 });
  });

  it('gives the lines of any text', () => {
    const line = fc.string().filter((text) => !/[\r\n]/.test(text) && /[^\0-\x20]/.test(text));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        fc.pre(
          lines.every((text) => !text.trimStart().startsWith('{') && !text.startsWith('\ufeff')),
        );
        expect(bodiesOf(lines.join('\n'))).toEqual(lines);
      }),
    );
  });
});

describe('an event', () => {
  it('has what the request says of its stream, its time and its place as its id', () => {
    const common = {
      commonAttributes: { 'service.name': 'shop', env: 'prod', 'cloud.region': 'x' },
    };
    const { rows } = decode(deliveryBody('skipped', 'a WARN b\n{"message":"m","env":"own"}'), {
      request: {
        headers: { ...headers, 'x-amz-firehose-common-attributes': JSON.stringify(common) },
      },
    });
    expect(rows[1]).toEqual({
      time: BigInt(requestTimeMs) * 1_000_000n,
      source: 'orders',
      service: 'shop',
      body: 'a WARN b',
      id: `firehose:${requestId}:1:0`,
      attributes: {
        severity: 'WARN',
        severity_number: '13',
        'service.name': 'shop',
        env: 'prod',
        'cloud.region': 'x',
        'resource.cloud.region': 'us-east-1',
        'cloud.account.id': '123456789012',
        'aws.firehose.arn': headers['x-amz-firehose-source-arn'],
      },
    });
    expect(rows[2]).toMatchObject({
      id: `firehose:${requestId}:1:1`,
      attributes: { env: 'own', 'resource.env': 'prod' },
    });
  });

  it('has its own time when its document tells one', () => {
    const [row] = decode(deliveryBody('{"@timestamp":"2023-11-14T22:13:00Z"}')).rows;
    expect(row?.time).toBe(1_699_999_980_000_000_000n);
  });

  it('comes from the listener when the stream is not named', () => {
    const { 'x-amz-firehose-source-arn': _, ...rest } = headers;
    const [row] = decode(deliveryBody('x'), { request: { headers: rest } }).rows;
    expect(row).toMatchObject({ source: 'otlp_http', attributes: {} });
  });

  it('is stored once when the request comes twice', () => {
    const builder = createBuilder({ seen: new Set() });
    const body = deliveryBody('one\ntwo', envelope());
    expect(decode(body, { builder }).decoded).toMatchObject({ received: 4, stored: 4 });
    const again = decode(body, { builder }).decoded;
    expect(again).toMatchObject({ received: 4, stored: 0, deduplicated: 4 });
    const other = { headers: { ...headers, 'x-amz-firehose-request-id': 'other' } };
    const third = decode(body, { builder, request: other }).decoded;
    expect(third).toMatchObject({ stored: 2, deduplicated: 2 });
  });
});

describe('a CloudWatch Logs envelope', () => {
  it('gives its log events, which share what stands around them', () => {
    const { rows } = decode(deliveryBody(gzipSync(envelope())));
    expect(rows).toEqual([
      {
        time: 1_699_999_980_000_000_000n,
        source: 'orders',
        service: 'checkout',
        body: 'ERROR card declined',
        id: 'cloudwatch:3195310660696698337',
        attributes: {
          severity: 'ERROR',
          severity_number: '17',
          'cloud.account.id': '210987654321',
          'aws.log.group.names': '/aws/lambda/checkout',
          'aws.log.stream.names': '2026/01/02/[$LATEST]abc',
          'cloud.region': 'us-east-1',
          'resource.cloud.account.id': '123456789012',
          'aws.firehose.arn': headers['x-amz-firehose-source-arn'],
        },
      },
      expect.objectContaining({
        time: 1_699_999_980_001_000_000n,
        body: '{"level":"warn","text":"x"}',
        id: 'cloudwatch:3195310660696698338',
        attributes: expect.objectContaining({ severity: 'WARN', extractedFields: '{"code":"7"}' }),
      }),
    ]);
  });

  it('may follow another with nothing between them, and members may stand in any order', () => {
    const last = '{"logEvents":[{"message":"last","id":"9"}],"messageType":"DATA_MESSAGE"}';
    expect(bodiesOf(`${envelope()}${envelope({ logEvents: [] })}${last}tail`)).toEqual([
      'ERROR card declined',
      '{"level":"warn","text":"x"}',
      'last',
      'tail',
    ]);
  });

  it('that only tests the connection is skipped', () => {
    const control = envelope({ messageType: 'CONTROL_MESSAGE' });
    expect(bodiesOf(control, `${control}after`)).toEqual(['after']);
  });

  it('leaves the service to an attribute that names one', () => {
    const common = '{"commonAttributes":{"service.name":"shop"}}';
    const { rows } = decode(deliveryBody(envelope()), {
      request: { headers: { ...headers, 'x-amz-firehose-common-attributes': common } },
    });
    expect(rows[0]?.service).toBe('shop');
  });

  it('of another type, or without events, is a document as any other', () => {
    const { rows } = decode(
      deliveryBody(envelope({ messageType: 'NEWS' }), '{"owner":"me","message":"m"}'),
    );
    expect(rows.map(({ attributes }) => attributes['owner'])).toEqual(['210987654321', 'me']);
    expect(rows[1]?.body).toBe('m');
  });

  it('with members of wrong kinds, or twice, keeps them as attributes', () => {
    const logEvents = [
      { id: 7, timestamp: '1', message: { a: 1 }, other: null },
      'no object',
      { id: 'x'.repeat(513), timestamp: 1e300, message: 'm' },
    ];
    const text = envelope({ logEvents }).replace('"message":"m"', '"message":"m","message":"n"');
    const { rows } = decode(deliveryBody(text));
    expect(rows).toMatchObject([
      { body: null, attributes: { id: '7', timestamp: '1', message: '{"a":1}', other: null } },
      { body: 'm', attributes: { id: 'x'.repeat(513), timestamp: '1e+300', message: 'n' } },
    ]);
    expect(rows.map(({ id }) => id)).toEqual([
      `firehose:${requestId}:0:0`,
      `firehose:${requestId}:0:1`,
    ]);
  });
});

describe('a request', () => {
  const malformed = expect.objectContaining({ code: 'ingest_malformed_body' });

  it.each([
    ['is empty', ''],
    ['is no JSON', '{"records":['],
    ['is no object', '[]'],
    ['has no records', '{"requestId":"x"}'],
    ['has records that are no list', '{"records":{}}'],
    ['has a record that is no object', '{"records":[1]}'],
    ['has data that is no text', '{"records":[{"data":1}]}'],
    ['goes on behind its end', '{"records":[]}x'],
  ])('is refused when its body %s', (_, body) => {
    expect(() => decode(Buffer.from(body))).toThrow(malformed);
  });

  it('may tell its time as a text, behind its records, or not at all', () => {
    const data = Buffer.from('x').toString('base64');
    const timeOf = (rest: string) =>
      decode(Buffer.from(`{"records":[{"data":"${data}"}]${rest}}`)).rows[0]?.time;
    expect(timeOf(',"timestamp":"1699999990000"')).toBe(1_699_999_990_000_000_000n);
    expect(timeOf(',"timestamp":1.5')).toBe(1_700_000_000_123_456_789n);
    expect(timeOf('')).toBe(1_700_000_000_123_456_789n);
  });

  it('is refused when its common attributes are no JSON', () => {
    const request = { headers: { ...headers, 'x-amz-firehose-common-attributes': '{"a"' } };
    expect(() => decode(deliveryBody('x'), { request })).toThrow(malformed);
  });

  it('is refused when its records inflate to more than four times the limit of its body', () => {
    const bomb = gzipSync('x'.repeat(2 << 20));
    const request = { maxBodyBytes: 1 << 20 };
    expect(decode(deliveryBody(bomb, bomb), { request }).decoded.received).toBe(2);
    expect(() => decode(deliveryBody(bomb, bomb, gzipSync('x')), { request })).toThrow(
      expect.objectContaining({ code: 'request_body_too_large' }),
    );
  });

  it('is refused as a whole for an event over a cap', () => {
    const builder = createBuilder({ limits: { maxEventBytes: 100 } });
    expect(() =>
      decode(deliveryBody('fine', 'x'.repeat(200)), { builder, request: { headers: {} } }),
    ).toThrow(expect.objectContaining({ code: 'ingest_event_too_large' }));
  });

  it('is a success although events are out of time, which would come again for ever', () => {
    const timestamps = { maxFutureNs: 0n, maxAgeNs: 1n, action: 'reject' } as const;
    const { decoded } = decode(deliveryBody('x'), { builder: createBuilder({ timestamps }) });
    expect(decoded).toMatchObject({
      received: 1,
      stored: 0,
      rejected: { ingest_timestamp_out_of_range: 1 },
    });
    expect(decoded.reply().status).toBe(200);
  });

  it('is answered with its id and a time in milliseconds', () => {
    expect(decode(deliveryBody('x')).decoded.reply()).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requestId, timestamp: 1_700_000_000_123 }),
    });
  });
});
