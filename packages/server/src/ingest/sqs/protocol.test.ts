import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProtocolRig } from '../../../test/fixture/protocol-rig.ts';
import { ObjectStream } from './object-stream.ts';
import { createObjectProtocol } from './protocol.ts';
import { sliceHeaders } from './slice-headers.ts';

const modifiedMs = 1_767_000_000_123;
const modifiedNs = BigInt(modifiedMs) * 1_000_000n;

interface StoreOptions {
  readonly rig?: ProtocolRig;
  readonly objectId?: string;
  readonly sliceBytes?: number;
}

/** Stores an object as the source does, slice by slice. */
async function store(content: string | Uint8Array, options: StoreOptions = {}) {
  const { rig = new ProtocolRig([createObjectProtocol()]), objectId = 'v1', sliceBytes } = options;
  const stream = new ObjectStream({
    maxBytes: 1 << 24,
    maxEntryBytes: 1 << 20,
    ...(sliceBytes !== undefined && { sliceBytes }),
  });
  const total = { received: 0, stored: 0, deduplicated: 0, rejected: 0 };
  async function* source(): AsyncGenerator<Uint8Array> {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    const step = sliceBytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  }
  for await (const { format, header, offset, bytes } of stream.read(source())) {
    const context = { bucket: 'logs', key: 'app/a.log', objectId, format, header, offset };
    const headers = sliceHeaders({ ...context, modifiedMs });
    const decoded = rig.decode({ protocol: 's3_object', listener: 'sqs', headers, body: bytes });
    total.received += decoded.received;
    total.stored += decoded.stored;
    total.deduplicated += decoded.deduplicated;
    total.rejected += Object.values(decoded.rejected).reduce((sum, count) => sum + count, 0);
  }
  return { total, rows: rig.rows(), rig };
}

describe('lines', () => {
  it('become events of their bucket, JSON ones with their fields', async () => {
    const { rows } = await store(
      '{"message":"one","level":"warn","@timestamp":"2026-01-02T03:04:05Z","service.name":"shop"}\r\n\n' +
        '2026-01-02 03:04:05,123 ERROR it failed\r\n[2026-01-02T03:04:05+01:00] x\n  at line 3',
    );
    expect(rows).toEqual([
      {
        timestamp_ns: 1_767_323_045_000_000_000n,
        source: 'logs',
        service: 'shop',
        body: 'one',
        idempotency_key: 's3:v1:0',
        host: null,
        env: null,
        namespace: null,
        tenant: 'default',
        attributes: {
          level: 'warn',
          'service.name': 'shop',
          severity: 'WARN',
          severity_number: '13',
          'aws.s3.bucket': 'logs',
          'aws.s3.key': 'app/a.log',
        },
      },
      expect.objectContaining({
        timestamp_ns: 1_767_323_045_123_000_000n,
        body: '2026-01-02 03:04:05,123 ERROR it failed',
        service: 'unknown_service',
        attributes: expect.objectContaining({ severity: 'ERROR' }),
      }),
      expect.objectContaining({ timestamp_ns: 1_767_319_445_000_000_000n }),
      expect.objectContaining({ timestamp_ns: modifiedNs, body: '  at line 3' }),
    ]);
  });

  it('that are no JSON after all are kept as text', async () => {
    const { rows, total } = await store('{"a":1}\n{broken\n{"b":2} rest\n{"message":"ok"}\n');
    expect(rows.map(({ body }) => body)).toEqual([null, '{broken', '{"b":2} rest', 'ok']);
    expect(total).toEqual({ received: 4, stored: 4, deduplicated: 0, rejected: 0 });
  });

  it('that are no UTF-8 are stored with replacement characters, the others as they are', async () => {
    const { rows } = await store(Buffer.from('caf\xe9\n\xc3\xa9\n{"message":"\xe9"}', 'latin1'));
    expect(rows.map(({ body }) => body)).toEqual(['caf\ufffd', 'é', '\ufffd']);
  });

  it('over a cap are refused alone', async () => {
    const rig = new ProtocolRig([createObjectProtocol()], { maxEventBytes: 100, maxAttributes: 4 });
    const content = `ok\n${'x'.repeat(200)}\n{"a":1,"b":1,"c":1,"d":1,"e":1}\nok\n`;
    const { rows, total } = await store(content, { rig });
    expect(rows.map(({ body }) => body)).toEqual(['ok', 'ok']);
    expect(total).toEqual({ received: 4, stored: 2, deduplicated: 0, rejected: 2 });
  });
});

describe('an object that is read again', () => {
  const content = Array.from({ length: 100 }, (_, index) => `line ${index % 3}`).join('\n');

  it('is stored once, however it is cut into slices', async () => {
    const { rig, total } = await store(content, { sliceBytes: 10 });
    expect(total.stored).toBe(100);
    const again = await store(content, { rig, sliceBytes: 100 });
    expect(again.total).toEqual({ received: 100, stored: 0, deduplicated: 100, rejected: 0 });
  });

  it('is stored beside the old one when it was overwritten', async () => {
    const { rig } = await store(content);
    const { total } = await store(content, { rig, objectId: 'v2' });
    expect(total.stored).toBe(100);
  });
});

describe('JSON values', () => {
  it.each([
    ['an array', '[{"message":"a"} , {"message":"b"},\n"c",[1, 2]]'],
    ['values over several lines', '{\n "message": "a"\n}\n{\n "message": "b"\n}\n"c"\n[1,\n2]'],
  ])('of %s become events', async (_, content) => {
    const { rows } = await store(content, { sliceBytes: 1 });
    expect(rows.map(({ body }) => body).slice(0, 3)).toEqual(['a', 'b', 'c']);
    expect(rows[1]?.idempotency_key).toBe(`s3:v1:${content.indexOf('{', content.indexOf('}'))}`);
  });

  it.each([
    ['an array', (values: readonly string[]) => `[${values.join(',\n')}]`],
    ['records', (values: readonly string[]) => `{ "Records" : [${values.join(',')}]}`],
    ['values behind each other', (values: readonly string[]) => values.join('\n\n')],
    [
      'lines',
      (values: readonly string[]) => values.map((text) => text.replaceAll('\n', '')).join('\n'),
    ],
  ])('of %s are all read, however the object is cut', async (_, wrap) => {
    const value = fc.record({
      eventName: fc.string({ minLength: 1 }),
      nested: fc.array(fc.record({ c: fc.string() }), { minLength: 1 }),
    });
    const cases = fc.array(value, { minLength: 2, maxLength: 20 });
    const sizes = fc.integer({ min: 1, max: 100 });
    await fc.assert(
      fc.asyncProperty(cases, sizes, async (values, sliceBytes) => {
        const content = wrap(values.map((one) => JSON.stringify(one, undefined, 1)));
        const { rows, total } = await store(content, { sliceBytes });
        expect(total).toMatchObject({ received: values.length, stored: values.length });
        const nested = rows.map(({ attributes }) => attributes['nested']);
        expect(nested).toEqual(values.map((one) => JSON.stringify(one.nested)));
      }),
      { numRuns: 30 },
    );
  });

  it('behind a fault are kept as text', async () => {
    const { rows, total } = await store('[{"message":"a"},\n{oops},\n{"message":"b"}\n]');
    expect(rows.map(({ body }) => body)).toEqual(['a', '{oops},', 'b', ']']);
    expect(total.rejected).toBe(0);
  });
});

it('reads the records of CloudTrail, and nothing around them', async () => {
  const record = (eventID: string, more: object = {}) => ({
    eventVersion: '1.08',
    userIdentity: { type: 'IAMUser', userName: 'ann' },
    eventTime: '2026-01-02T03:04:05Z',
    eventSource: 'ec2.amazonaws.com',
    eventName: 'StartInstances',
    eventID,
    ...more,
  });
  const records = [record('e1'), record('e2', { errorCode: 'Client.Denied', resources: null })];
  for (const sliceBytes of [1, 1000, 1 << 20]) {
    const { rows, total } = await store(JSON.stringify({ Records: records, more: ['x'] }), {
      sliceBytes,
    });
    expect(total).toMatchObject({ received: 2, stored: 2 });
    expect(rows).toMatchObject([
      {
        timestamp_ns: 1_767_323_045_000_000_000n,
        service: 'ec2.amazonaws.com',
        body: 'StartInstances',
        attributes: { eventID: 'e1', 'userIdentity.userName': 'ann', severity: 'INFO' },
      },
      { attributes: { errorCode: 'Client.Denied', resources: null, severity: 'ERROR' } },
    ]);
  }
});

describe('load balancer logs', () => {
  const line = (status: number, rest = ''): string =>
    `https 2026-01-02T03:04:05.186641Z app/lb/50dc6c49 192.168.1.2:2817 - -1 -1 -1 ${status} - 0 57 ` +
    `"GET https://example.com:443/a?b=\\x22c\\x22 HTTP/1.1" "agent \\"x\\"" ECDHE TLSv1.2 - ` +
    `"Root=1-58" "example.com" "-" 0 2026-01-02T03:04:05.000000Z "forward" "-" "-" "-" "-" "-" "-"${rest}`;

  it('have their fields as attributes and the line as text', async () => {
    const { rows } = await store(
      `${line(502, ' TID_1 new "one more"')}\n${line(404)}\n${line(200)}`,
    );
    expect(rows[0]).toMatchObject({
      timestamp_ns: 1_767_323_045_186_641_000n,
      service: 'elasticloadbalancing',
      body: expect.stringContaining('app/lb/50dc6c49'),
      attributes: {
        elb: 'app/lb/50dc6c49',
        'client:port': '192.168.1.2:2817',
        target_processing_time: '-1',
        elb_status_code: '502',
        request: 'GET https://example.com:443/a?b="c" HTTP/1.1',
        user_agent: 'agent "x"',
        trace_id: 'Root=1-58',
        conn_trace_id: 'TID_1',
        field_31: 'new',
        field_32: 'one more',
      },
    });
    expect(rows[0]?.attributes).not.toHaveProperty('target:port');
    expect(rows.map(({ attributes }) => attributes['severity'])).toEqual(['ERROR', 'WARN', 'INFO']);
  });

  it('that are cut are kept as text', async () => {
    const { rows } = await store(`${line(200)}\n${line(200).slice(0, 150)}`);
    expect(rows[1]).toMatchObject({ body: line(200).slice(0, 150), service: 'unknown_service' });
  });
});

describe('flow logs', () => {
  const header = 'version account-id srcaddr dstaddr start end action log-status';

  it('take the names of their fields from the first line', async () => {
    const content = `${header}\n2 1 10.0.0.1 10.0.0.2 1767323045 1767323050 REJECT OK\n2 1 - - 1767323045 1767323050 - NODATA\n`;
    for (const sliceBytes of [1, 1 << 20]) {
      const { rows, total } = await store(content, { sliceBytes });
      expect(total).toMatchObject({ received: 2, stored: 2 });
      expect(rows[0]).toMatchObject({
        timestamp_ns: 1_767_323_045_000_000_000n,
        service: 'vpcflowlogs',
        attributes: { srcaddr: '10.0.0.1', action: 'REJECT', 'log-status': 'OK' },
      });
      expect(rows[1]?.attributes).not.toHaveProperty('srcaddr');
    }
  });

  it('with another number of fields are kept as text', async () => {
    const { rows } = await store(`${header}\n2 1 x\n2 1 a b 1 2 c d e\n`);
    expect(rows.map(({ body, service }) => [body, service])).toEqual([
      ['2 1 x', 'unknown_service'],
      ['2 1 a b 1 2 c d e', 'unknown_service'],
    ]);
  });
});
