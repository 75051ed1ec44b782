import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { HttpListener, InflightBudget } from '../http/index.ts';
import { BulkRig } from './bulk.fixture.ts';
import { createBulkEndpoint } from './endpoint.ts';

const opened: HttpListener[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.close(0)));
});

async function setup(tokens: readonly string[] = []) {
  const rig = new BulkRig();
  const listener = await HttpListener.open({
    name: 'bulk',
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [createBulkEndpoint({ clusterName: 'events' })],
    port: rig,
    budget: new InflightBudget(1 << 28),
    tokens: tokens.map((token) => new Secret(token)),
    tenant: 'default',
    log: { info: () => {}, error: () => {} },
  });
  opened.push(listener);
  const base = `http://127.0.0.1:${listener.address.port}`;
  const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(base + path, init);
  return { rig, listener, ask };
}

const pair = '{"create":{"_index":"logs"}}\n{"message":"m"}\n';

describe('the bulk endpoint', () => {
  it('calls itself Elasticsearch in every answer, and in the type that was asked for', async () => {
    const { ask } = await setup();
    const headers = {
      accept: 'application/vnd.elasticsearch+json; compatible-with=8',
      'x-opaque-id': 'my-job',
    };
    const answers = await Promise.all([
      ask('/', { headers }),
      ask('/_bulk', { headers, method: 'POST', body: pair }),
      ask('/_bulk', { headers, method: 'POST', body: 'x' }),
      ask('/_bulk', { headers }),
      ask('/no/such/path', { headers }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 405, 404]);
    for (const answer of answers) {
      expect(answer.headers.get('x-elastic-product')).toBe('Elasticsearch');
      expect(answer.headers.get('x-opaque-id')).toBe('my-job');
      expect(answer.headers.get('content-type')).toBe(
        'application/vnd.elasticsearch+json;compatible-with=8',
      );
      expect(await answer.json()).toBeTypeOf('object');
    }
  });

  it('introduces itself, with a version that no beat finds too old', async () => {
    const { ask } = await setup();
    const info = async (agent: string): Promise<unknown> =>
      (await ask('/', { headers: { 'user-agent': agent } })).json();
    expect(await info('curl')).toMatchObject({
      cluster_name: 'events',
      version: { number: '8.19.0', build_flavor: 'default' },
      tagline: 'You Know, for Search',
    });
    expect(await info('Elastic-filebeat/9.2.1 (linux; amd64)')).toMatchObject({
      version: { number: '9.2.1' },
    });
    expect(await info('Elastic-filebeat/7.17.0 (linux)')).toMatchObject({
      version: { number: '8.19.0' },
    });
  });

  it.each([
    ['/_license?human=false', { license: { status: 'active', type: 'basic' } }],
    ['/_xpack', { license: { status: 'active' } }],
    ['/_cluster/health', { status: 'green', number_of_nodes: 1 }],
    ['/_nodes/_all/http', { nodes: expect.any(Object) }],
    ['/_nodes/ingest', { nodes: expect.any(Object) }],
    ['/_data_stream/logs-x', { data_streams: [] }],
    ['/_template/a', {}],
    ['/_ingest/pipeline/a', {}],
    ['/logs', {}],
  ])('answers %s', async (path, expected) => {
    const { ask } = await setup();
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject(expected);
    expect((await ask(path, { method: 'HEAD' })).status).toBe(200);
  });

  it.each([
    '/_template/a',
    '/_index_template/a',
    '/_component_template/a',
    '/_ilm/policy/a',
    '/_data_stream/a',
    '/_ingest/pipeline/a',
    '/logs',
  ])('takes PUT %s and changes nothing', async (path) => {
    const { ask, rig } = await setup();
    const answer = await ask(path, { method: 'PUT', body: `{"pad":"${'x'.repeat(300_000)}"}` });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ acknowledged: true });
    expect(rig.submitted).toBe(0);
  });

  it('takes events at every path that carries them, doubled slashes included', async () => {
    const { ask, rig } = await setup();
    for (const path of ['/_bulk', '//_bulk/', '/logs/_bulk', '/logs/_doc/_bulk?refresh=true']) {
      const answer = await ask(path, { method: 'PUT', body: pair });
      expect(answer.status).toBe(200);
    }
    expect((await ask('/logs/_doc', { method: 'POST', body: '{}' })).status).toBe(201);
    expect((await ask('/_monitoring/bulk', { method: 'POST', body: pair })).status).toBe(200);
    expect(rig.rows()).toHaveLength(5);
  });

  it('lets a token in as key, pair or encoded pair', async () => {
    const { ask } = await setup(['id:key', 't0ken', 'cGFpcg==']);
    const status = async (authorization: string): Promise<number> =>
      (await ask('/_bulk', { method: 'POST', body: pair, headers: { authorization } })).status;
    expect(await status(`ApiKey ${btoa('id:key')}`)).toBe(200);
    expect(await status(`ApiKey ${btoa('any:t0ken')}`)).toBe(200);
    expect(await status('apikey cGFpcg==')).toBe(200);
    expect(await status(`Basic ${btoa('elastic:t0ken')}`)).toBe(200);
    expect(await status(`ApiKey ${btoa('t0ken:id')}`)).toBe(401);
  });

  it('answers probes without a token and nothing else', async () => {
    const { ask } = await setup(['t0ken']);
    for (const path of ['/', '/health', '/ready']) expect((await ask(path)).status).toBe(200);
    const answer = await ask('/_license');
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Basic');
    expect(await answer.json()).toMatchObject({
      error: { type: 'security_exception' },
      status: 401,
    });
  });

  it('says in its own shape that a body is too large or comes too early', async () => {
    const { ask, rig } = await setup();
    rig.isOpen = false;
    const busy = await ask('/_bulk', { method: 'POST', body: pair });
    expect(busy.status).toBe(503);
    expect(busy.headers.get('retry-after')).not.toBeNull();
    expect(await busy.json()).toMatchObject({
      error: { type: 'unavailable_exception' },
      status: 503,
    });
    rig.isOpen = true;
    const large = await ask('/_bulk', { method: 'POST', body: new Uint8Array((100 << 20) + 1) });
    expect(large.status).toBe(413);
    expect(await large.json()).toMatchObject({ status: 413 });
    expect(rig.submitted).toBe(0);
  });
});
