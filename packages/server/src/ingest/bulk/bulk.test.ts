import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { BulkRig, nowNs, type SendOptions } from './bulk.fixture.ts';

const decoder = new TextDecoder();

const lines = (...values: readonly (object | string)[]): string =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

interface Item {
  readonly _index: string;
  readonly _id: string;
  readonly status: number;
  readonly result?: string;
  readonly error?: { readonly type: string; readonly reason: string };
}

function itemsOf(body: string): { action: string; item: Item }[] {
  const reply = JSON.parse(body) as { items: Record<string, Item>[] };
  return reply.items.map((entry) => {
    const [pair] = Object.entries(entry);
    if (pair === undefined) throw new Error('an item without an action');
    return { action: pair[0], item: pair[1] };
  });
}

const statuses = (body: string): string[] =>
  itemsOf(body).map(({ action, item }) => `${action} ${item.status}`);

function send(rig: BulkRig, body: string, options?: SendOptions) {
  const reply = rig.send(body, options);
  return { ...reply, statuses: () => statuses(reply.body) };
}

const create = (id?: string, index = 'logs'): object => ({ create: { _index: index, _id: id } });

describe('a bulk request', () => {
  it('is answered byte for byte as clients expect', () => {
    const rig = new BulkRig();
    const { status, body } = rig.send(lines(create('a'), { message: 'x' }));
    expect(status).toBe(200);
    expect(body).toBe(
      '{"took":0,"errors":false,"items":[{"create":{"_index":"logs","_id":"a","_version":1,"result":"created","_shards":{"total":1,"successful":1,"failed":0},"_seq_no":0,"_primary_term":1,"status":201}}]}',
    );
    expect(rig.send(lines(create('a'), { message: 'x' })).body).toBe(
      '{"took":0,"errors":true,"items":[{"create":{"_index":"logs","_id":"a","status":409,"error":{"type":"version_conflict_engine_exception","reason":"version conflict, document already exists (current version [1])"}}}]}',
    );
    expect(rig.rows()).toHaveLength(1);
  });

  it('maps a document in the Elastic Common Schema', () => {
    const rig = new BulkRig();
    rig.send(
      lines(create('7'), {
        '@timestamp': '2026-01-02T03:04:04.123456789+00:00',
        message: 'said "no"\n',
        log: { level: 'warning', file: { path: '/var/log/x' } },
        service: { name: 'checkout' },
        'host.name': 'node-1',
        tags: ['a', 'b'],
        user: null,
      }),
    );
    expect(rig.rows()).toEqual([
      {
        timestamp_ns: 1_767_323_044_123_456_789n,
        source: 'logs',
        service: 'checkout',
        body: 'said "no"\n',
        idempotency_key: 'bulk:logs/7',
        attributes: {
          'log.level': 'warning',
          'log.file.path': '/var/log/x',
          'service.name': 'checkout',
          'host.name': 'node-1',
          tags: '["a","b"]',
          user: null,
          severity: 'WARN',
          severity_number: '13',
        },
        host: 'node-1',
        env: null,
        namespace: null,
        tenant: 'default',
      },
    ]);
  });

  it('stays in step through updates, deletes, blank lines, CRLF and a missing last line feed', () => {
    const rig = new BulkRig();
    const body =
      '\r\n{"delete":{"_index":"logs","_id":"1"}}\r\n{"update":{"_id":"2"}}\r\n{"doc":{},"doc_as_upsert":true}\r\n' +
      '\n \n{"index":{"_id":"3","_type":"_doc","routing":[1],"new":{"a":1}}}\r\n{"message":"m"}\r\n\r\n{"create":{}}\n{"message":"n"}';
    const reply = send(rig, body);
    expect(reply.statuses()).toEqual(['delete 400', 'update 400', 'index 201', 'create 201']);
    expect(itemsOf(reply.body)[0]?.item.error?.type).toBe('illegal_argument_exception');
    expect(rig.rows().map((row) => row.body)).toEqual(['m', 'n']);
    expect(rig.decode(body).rejected).toEqual({ ingest_unsupported_action: 2 });
  });

  it('answers a broken document with 400 and stores the others', () => {
    const rig = new BulkRig();
    const reply = send(
      rig,
      lines(create(), '{"a":1', create(), '[1]', create(), '', create(), '{"a":1}x', create(), {
        message: 'good',
      }),
    );
    expect(reply.statuses()).toEqual([
      'create 400',
      'create 400',
      'create 400',
      'create 400',
      'create 201',
    ]);
    expect(itemsOf(reply.body)[0]?.item.error?.type).toBe('mapper_parsing_exception');
    expect(rig.rows().map((row) => row.body)).toEqual(['good']);
  });

  it('answers a document that is not UTF-8 with 400 and stores the others', () => {
    const rig = new BulkRig();
    const body = Buffer.from(lines(create(), { message: '!' }, create(), { message: 'good' }));
    body[body.indexOf('!')] = 0xff;
    expect(statuses(rig.send(body).body)).toEqual(['create 400', 'create 201']);
    expect(rig.rows().map((row) => row.body)).toEqual(['good']);
  });

  it.each([
    ['', 'no body'],
    ['\n\n', 'only blank lines'],
    ['x\n{}\n', 'no JSON'],
    ['[]\n{}\n', 'no object'],
    ['{}\n{}\n', 'no action'],
    ['{"upsert":{}}\n{}\n', 'an unknown action'],
    ['{"index":1}\n{}\n', 'no parameters'],
    ['{"index":{},"create":{}}\n{}\n', 'two actions'],
    ['{"index":{}}\n', 'no source'],
    ['{"index":{}}\n{}\n{"create":{}}', 'no source for the last action'],
  ])('%j is refused as a whole: %s', (body) => {
    const rig = new BulkRig();
    const reply = rig.send(body);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({
      error: { type: 'parse_exception', root_cause: [{ type: 'parse_exception' }] },
      status: 400,
    });
    expect(rig.rows()).toEqual([]);
  });

  it('is refused as too large when its answer would be', () => {
    const rig = new BulkRig();
    const reply = rig.send('{"delete":{}}\n'.repeat(500_001));
    expect(reply.status).toBe(413);
    expect(JSON.parse(reply.body)).toMatchObject({ status: 413 });
  });

  it('scopes ids by index and takes null or empty ones as absent', () => {
    const rig = new BulkRig();
    const body = lines(
      create('1', 'a'),
      {},
      create('1', 'b'),
      {},
      create('1', 'a'),
      {},
      { index: { _index: 'a', _id: 1 } },
      {},
      '{"index":{"_index":"a","_id":null}}',
      {},
      '{"index":{"_index":"a","_id":""}}',
      {},
    );
    const reply = send(rig, body);
    expect(reply.statuses()).toEqual([
      'create 201',
      'create 201',
      'create 409',
      'index 200',
      'index 201',
      'index 201',
    ]);
    const [, , , updated, first, second] = itemsOf(reply.body).map(({ item }) => item);
    expect(updated).toMatchObject({ _id: '1', result: 'updated' });
    expect(first?._id).toMatch(/^[\w-]{20}$/);
    expect(second?._id).toMatch(/^[\w-]{20}$/);
    expect(second?._id).not.toBe(first?._id);
    expect(rig.rows().map((row) => row.idempotency_key)).toEqual([
      'bulk:a/1',
      'bulk:b/1',
      null,
      null,
    ]);
  });

  it('keeps ids of different indexes apart whatever their names hold', () => {
    const rig = new BulkRig();
    const reply = send(
      rig,
      lines(create('b/c', 'a'), {}, create('c', 'a/b'), {}, create('c', 'a%2Fb'), {}),
    );
    expect(reply.statuses()).toEqual(['create 201', 'create 201', 'create 201']);
  });

  it('reports names and ids as they were sent, escapes and all', () => {
    const rig = new BulkRig();
    const reply = rig.send('{"create":{"_index":"lo\\u0067s\\"","_id":"\\"\\u00e9\\n\\\\"}}\n{}\n');
    expect(itemsOf(reply.body)[0]?.item).toMatchObject({ _index: 'logs"', _id: '"é\n\\' });
  });

  it('refuses ids and index names that are too long, alone', () => {
    const rig = new BulkRig();
    const reply = send(
      rig,
      lines(
        create('x'.repeat(513)),
        {},
        create('1', 'x'.repeat(256)),
        {},
        create('x'.repeat(512)),
        {},
      ),
    );
    expect(reply.statuses()).toEqual(['create 400', 'create 400', 'create 201']);
  });

  it('takes the index from the path, else from the listener', () => {
    const rig = new BulkRig();
    const sources = ['/_bulk', '/from-path/_bulk', '/a%20b/_doc/_bulk'].map((path) => {
      const reply = rig.send(lines({ index: {} }, {}), { path });
      return itemsOf(reply.body)[0]?.item._index;
    });
    expect(sources).toEqual(['bulk', 'from-path', 'a b']);
    expect(rig.rows().map((row) => row.source)).toEqual(sources);
  });

  it('clamps times out of range, or answers 400 for the event alone', () => {
    const document = { '@timestamp': '2199-01-01T00:00:00Z' };
    const clamping = new BulkRig();
    expect(send(clamping, lines(create(), document)).statuses()).toEqual(['create 201']);
    expect(clamping.rows()[0]?.timestamp_ns).toBe(nowNs + 1_000_000_000n);
    const rejecting = new BulkRig({ timestamps: { action: 'reject' } });
    const body = lines(create('1'), document, create('2'), {});
    expect(send(rejecting, body).statuses()).toEqual(['create 400', 'create 201']);
    expect(rejecting.seen).toEqual(['bulk:logs/2']);
  });
});

describe('a batch with an event over a cap', () => {
  const body = lines(
    create('1'),
    {},
    create('2'),
    { message: 'x'.repeat(200) },
    create('3'),
    {},
    '{"delete":{}}',
  );
  const limits = { maxEventBytes: 100 };

  it('is refused as a whole and leaves nothing behind', () => {
    const rig = new BulkRig({ limits });
    const reply = rig.send(body);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({
      error: { type: 'illegal_argument_exception' },
      status: 400,
    });
    expect(rig.rows()).toEqual([]);
    expect(rig.seen).toEqual([]);
    expect(rig.decode(body)).toMatchObject({
      received: 4,
      stored: 0,
      deduplicated: 0,
      rejected: { ingest_event_too_large: 4 },
    });
  });

  it('fails every item instead when senders cannot stand a 400', () => {
    const rig = new BulkRig({ limits, rejection: 'items' });
    const reply = send(rig, body);
    expect(reply.status).toBe(200);
    expect(reply.statuses()).toEqual(['create 400', 'create 400', 'create 400', 'delete 400']);
    expect(rig.rows()).toEqual([]);
    expect(rig.seen).toEqual([]);
  });

  it('counts attributes too', () => {
    const rig = new BulkRig({ limits: { maxAttributes: 2 } });
    expect(rig.send(lines(create(), { a: 1, b: { c: 2, d: 3 } })).status).toBe(400);
    expect(rig.rows()).toEqual([]);
  });
});

describe('filter_path', () => {
  const body = lines(create('1'), {}, create('1'), {});
  const filtered = (filterPath: string): unknown =>
    JSON.parse(
      new BulkRig().send(body, { query: `x=1&filter_path=${encodeURIComponent(filterPath)}` }).body,
    );

  it.each<[string, unknown]>([
    [
      'errors,items.*.error,items.*.status',
      {
        errors: true,
        items: [
          { create: { status: 201 } },
          {
            create: {
              status: 409,
              error: { type: 'version_conflict_engine_exception', reason: expect.any(String) },
            },
          },
        ],
      },
    ],
    [
      'items.*._index,items.create.status,items.*.error.type',
      {
        items: [
          { create: { _index: 'logs', status: 201 } },
          {
            create: {
              _index: 'logs',
              status: 409,
              error: { type: 'version_conflict_engine_exception' },
            },
          },
        ],
      },
    ],
    ['items.index.status', {}],
    ['took', { took: 0 }],
    ['**._id', { items: [{ create: { _id: '1' } }, { create: { _id: '1' } }] }],
    [
      'items.*.error.t*,-items.*.error.reason',
      { items: [{ create: { error: { type: expect.any(String) } } }] },
    ],
    ['-items', { took: 0, errors: true }],
    ['items.*._shards.total', { items: [{ create: { _shards: { total: 1 } } }] }],
  ])('%s leaves what it names', (filterPath, expected) => {
    expect(filtered(filterPath)).toEqual(expected);
  });

  it('ignores patterns beyond reason', () => {
    expect(filtered('a'.repeat(10) + '.b'.repeat(20))).toHaveProperty('took');
    expect(filtered(`${'*'.repeat(2000)}x`)).toEqual({});
  });
});

describe('a large answer', () => {
  const body = Array.from({ length: 200 }, () => lines(create(), {})).join('');

  it('is compressed only for those who ask', () => {
    const rig = new BulkRig();
    const replyFor = (headers: Readonly<Record<string, string>>) =>
      rig.decode(body, { headers }).reply();
    const plain = replyFor({});
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(replyFor({ 'accept-encoding': 'gzip;q=0' }).headers['content-encoding']).toBeUndefined();
    const packed = replyFor({ 'accept-encoding': 'deflate, gzip;q=1.0' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    const text = decoder.decode(gunzipSync(packed.body));
    expect(statuses(text)).toHaveLength(200);
    expect(new Set(itemsOf(text).map(({ item }) => item._id)).size).toBe(200);
  });
});

describe('a single document', () => {
  it('is stored under its index and answered without items', () => {
    const rig = new BulkRig();
    const path = '/logs/_doc/7';
    const first = rig.send('{\n  "message": "m"\n}\n', { path, method: 'PUT' });
    expect(first.status).toBe(201);
    expect(JSON.parse(first.body)).toMatchObject({ _index: 'logs', _id: '7', result: 'created' });
    expect(rig.send('{}', { path })).toMatchObject({
      status: 200,
      body: expect.stringContaining('"updated"'),
    });
    expect(rig.send('{}', { path: '/logs/_create/7' }).status).toBe(409);
    expect(rig.send('{}', { path, query: 'op_type=create' }).status).toBe(409);
    expect(JSON.parse(rig.send('{}', { path: '/logs/_doc' }).body)).toMatchObject({
      _id: expect.stringMatching(/^[\w-]{20}$/),
    });
    expect(rig.rows().map((row) => [row.source, row.body, row.idempotency_key])).toEqual([
      ['logs', 'm', 'bulk:logs/7'],
      ['logs', null, null],
    ]);
  });

  it.each(['', '{', '[]', '{} {}'])('%j is refused', (body) => {
    const rig = new BulkRig();
    const reply = rig.send(body, { path: '/logs/_doc' });
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({
      error: { type: 'mapper_parsing_exception' },
      status: 400,
    });
    expect(rig.rows()).toEqual([]);
  });
});
