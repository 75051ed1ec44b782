import { readFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { NodeError } from '../base/errors.ts';
import { loadConfig, resolveConfig, type ConfigSources } from './load.ts';
import { envName, optionPaths, options } from './options.ts';
import { printConfig } from './print.ts';
import { renderConfigReference } from './reference.ts';

const fromFile = (text: string): ConfigSources => ({ file: { path: 'varve.yaml', text } });

function problemsOf(sources: ConfigSources): readonly unknown[] {
  try {
    resolveConfig(sources);
  } catch (error) {
    expect(error).toBeInstanceOf(NodeError);
    if (error instanceof NodeError && Array.isArray(error.details['problems'])) {
      expect(error.code).toBe('config_invalid');
      return error.details['problems'];
    }
  }
  return [];
}

describe('resolving', () => {
  it('gives every default of the specification', () => {
    const { config } = resolveConfig({});
    expect(config.ingest).toMatchObject({
      maxEventBytes: 8 << 20,
      maxAttrsPerEvent: 4096,
      maxFutureSkewSecs: 7 * 86_400,
      maxEventAgeSecs: undefined,
      timestampAction: 'clamp',
      maxInflightBytes: 256 << 20,
    });
    expect(config.storage.retentionWindowDays).toBeUndefined();
    expect(config.server.listen).toEqual({ host: '127.0.0.1', port: 18_080 });
    expect(config.storage.bucket.path).toBe(`${config.dataDir}/bucket`);
  });

  it('lets flags win over the environment, the environment over the file', () => {
    const file = { path: 'varve.yaml', text: 'query: {max_concurrent: 2}\nlog: {level: warn}' };
    const env = { VARVE_QUERY__MAX_CONCURRENT: '3', VARVE_INGEST__MAX_EVENT_BYTES: '4MiB' };
    const flags = [{ name: 'query.max-concurrent', text: '5' }];
    const { config } = resolveConfig({ file, env, flags });
    expect(config.query.maxConcurrent).toBe(5);
    expect(config.ingest.maxEventBytes).toBe(4 << 20);
    expect(config.log.level).toBe('warn');
  });

  it('takes dotted keys, sections and lists from every source', () => {
    const { config } = resolveConfig({
      ...fromFile('ingest:\n  otlp.http.tenant: acme\n  bulk:\n    listen: off\nstorage:\n'),
      env: { VARVE_INGEST__DIMENSIONS__HOST: 'host.name, node' },
    });
    expect(config.ingest.otlp.http.tenant).toBe('acme');
    expect(config.ingest.bulk.listen).toBe('off');
    expect(config.ingest.dimensions.host).toEqual(['host.name', 'node']);
  });

  it('keeps listeners that can take no token to this machine unless a token opens the defaults', () => {
    expect(resolveConfig({}).config.ingest.gelf.udpListen).toEqual({
      host: '127.0.0.1',
      port: 12_201,
    });
    const env = { VARVE_INGEST__GELF__TOKENS: 'secret' };
    const { gelf } = resolveConfig({ env }).config.ingest;
    expect(gelf.httpListen).toEqual({ host: '0.0.0.0', port: 12_202 });
    expect(gelf.tcpListen).toEqual({ host: '127.0.0.1', port: 12_201 });
    const open = resolveConfig(fromFile('ingest.gelf.udp_listen: 0.0.0.0:12201'));
    expect(open.notices.join()).toMatch(/no token.*ingest\.gelf\.udp_listen \(0\.0\.0\.0:12201\)/);
  });

  it('lets UDP and TCP share a port, but not two TCP listeners', () => {
    expect(problemsOf(fromFile('ingest.gelf.udp_listen: :9200'))).toEqual([]);
    expect(problemsOf(fromFile('ingest.gelf.tcp_listen: :9200'))).toEqual([
      'varve.yaml:1: ingest.gelf.tcp_listen: port 9200 is taken by ingest.bulk.listen',
    ]);
  });

  it('is frozen all the way down', () => {
    const { config } = resolveConfig({});
    expect(Object.isFrozen(config.ingest.dimensions.host)).toBe(true);
    expect(Object.isFrozen(config.server.listen)).toBe(true);
    expect(Object.isFrozen(config.ingest.otlp)).toBe(true);
  });

  it('ignores what Kubernetes sets for a service of the same name', () => {
    const env = {
      VARVE_PORT: 'tcp://10.0.0.1:18080',
      VARVE_SERVICE_HOST: '10.0.0.1',
      VARVE_SERVICE_PORT_HTTP: '18080',
      VARVE_PORT_18080_TCP_ADDR: '10.0.0.1',
      VARVE_TOKEN: 'x',
    };
    expect(problemsOf({ env })).toEqual([]);
  });
});

describe('listeners', () => {
  it.each<[string, ConfigSources, string, number]>([
    ['nothing configured', {}, '127.0.0.1', 1],
    ['an explicit address', fromFile('server.listen: :18080'), '0.0.0.0', 2],
    ['the API token', { env: { VARVE_AUTH__QUERY_API_TOKEN: 't' } }, '0.0.0.0', 2],
  ])('with %s bind as documented and say so', (_, sources, host, notices) => {
    const loaded = resolveConfig(sources);
    expect(loaded.config.server.listen).toEqual({ host, port: 18_080 });
    expect(loaded.notices).toHaveLength(notices);
  });

  it('opens an ingest listener with tokens of its own, and no other', () => {
    const { config } = resolveConfig(fromFile('ingest.bulk.tokens: [a]'));
    expect(config.ingest.bulk.listen).toEqual({ host: '0.0.0.0', port: 9200 });
    expect(config.ingest.otlp.http.listen).toEqual({ host: '127.0.0.1', port: 4318 });
    expect(config.server.listen).toEqual({ host: '127.0.0.1', port: 18_080 });
  });
});

describe('problems', () => {
  it.each<[string, ConfigSources, readonly RegExp[]]>([
    [
      'a misspelled key with its line and the nearest key',
      fromFile('ingest:\n  max_evnt_bytes: 1MiB'),
      [
        /^varve\.yaml:2: ingest\.max_evnt_bytes: unknown key, did you mean ingest\.max_event_bytes\?$/,
      ],
    ],
    [
      'a key in the wrong section',
      fromFile('server: {max_event_bytes: 1MiB}'),
      [/did you mean ingest\.max_event_bytes\?$/],
    ],
    ['a key that is like no other', fromFile('zzz: 1'), [/^varve\.yaml:1: zzz: unknown key$/]],
    [
      'an unknown variable',
      { env: { VARVE_STORAGE__BUKET: 'x' } },
      [/^VARVE_STORAGE__BUKET: unknown variable, did you mean VARVE_STORAGE__BUCKET\?$/],
    ],
    [
      'an unknown flag',
      { flags: [{ name: 'data-dirr', text: 'x' }] },
      [/^--data-dirr: unknown option, did you mean data_dir\?$/],
    ],
    [
      'broken YAML with its line',
      fromFile('data_dir: a\nstorage: [1\nserver: 2'),
      [/^varve\.yaml:\d: not valid YAML: /],
    ],
    [
      'a key twice',
      fromFile('data_dir: a\ndata_dir: b'),
      [/^varve\.yaml:2: not valid YAML: a key/],
    ],
    [
      'a key twice in two spellings',
      fromFile('log.level: info\nlog: {level: warn}'),
      [/^varve\.yaml:2: log\.level: the key is set twice$/],
    ],
    ['a file that is a list', fromFile('- 1'), [/must hold keys and values/]],
    ['a value for a section', fromFile('storage: 3'), [/storage: expected a section/]],
    ['a key without a value', fromFile('data_dir:'), [/expected a path, got nothing/]],
    [
      'a wrong type',
      fromFile('query.max_concurrent: many'),
      [/expected an integer from 1 to 256, got "many"/],
    ],
    ['a fraction of a byte', fromFile('storage.publish_bytes: 0.5'), [/expected a size/]],
    ['an unknown unit', fromFile('storage.publish_bytes: 1 acre'), [/expected a size/]],
    ['a wrong choice', fromFile('query.scan_guard: on'), [/one of enforce, shadow, off, got "on"/]],
    ['an address without a port', fromFile('server.listen: localhost'), [/expected an address/]],
    ['a port out of range', fromFile('server.listen: ":65536"'), [/expected an address/]],
    ['an API that is off', fromFile('server.listen: off'), [/the API cannot be off/]],
    [
      'an s3 bucket',
      fromFile('storage.bucket: s3://b/p'),
      [/^[^,]*s3:\/\/ buckets are not yet available/],
    ],
    ['a bucket of another kind', fromFile('storage.bucket: gs://b'), [/expected a location/]],
    [
      'a retention below the floor',
      fromFile('storage.retention_window_days: 29\nretention.min_window_days: 30'),
      [
        /^varve\.yaml:1: storage\.retention_window_days: 29 days .* retention\.min_window_days of 30/,
      ],
    ],
    [
      'a certificate without a key',
      fromFile('server.tls.cert_file: a.pem'),
      [/needs server\.tls\.key_file/],
    ],
    [
      'two listeners on one port',
      fromFile('server.listen: :9200'),
      [/^ingest\.bulk\.listen: port 9200 is taken by server\.listen$/],
    ],
    [
      'an empty token',
      { env: { VARVE_AUTH__QUERY_API_TOKEN: '' } },
      [/expected a text that is not empty/],
    ],
    [
      'a secret as a flag',
      { flags: [{ name: 'auth.query_api_token', text: 'x' }] },
      [/visible to other users/],
    ],
    [
      'everything at once',
      {
        file: { path: 'varve.yaml', text: 'zzz: 1\nquery.scan_guard: maybe' },
        env: { VARVE_NOPE: '1', VARVE_QUERY__MAX_CONCURRENT: '0' },
      },
      [/zzz/, /VARVE_NOPE/, /scan_guard/, /max_concurrent/],
    ],
  ])('name %s', (_, sources, expected) => {
    const problems = problemsOf(sources);
    expect(problems).toHaveLength(expected.length);
    for (const pattern of expected) {
      expect(problems).toContainEqual(expect.stringMatching(pattern));
    }
  });

  it('starts with a retention at the floor', () => {
    const text = 'storage.retention_window_days: 30\nretention.min_window_days: 30';
    expect(problemsOf(fromFile(text))).toEqual([]);
  });

  it('names a file that cannot be read', async () => {
    const loading = loadConfig({ configPath: '/nonexistent/varve.yaml', env: {} });
    await expect(loading).rejects.toThrow(
      '/nonexistent/varve.yaml: the file cannot be read (ENOENT)',
    );
  });
});

describe('a secret', () => {
  const planted = 'hunter2-9d1';
  it.each<[string, ConfigSources]>([
    [
      'a valid file',
      fromFile(`auth: {query_api_token: ${planted}}\ningest.bulk.tokens: [${planted}]`),
    ],
    ['the environment', { env: { VARVE_INGEST__OTLP__HTTP__TOKENS: `a,${planted}` } }],
  ])('from %s shows nowhere but where it is used', (_, sources) => {
    const loaded = resolveConfig(sources);
    const shown = [
      printConfig(loaded),
      JSON.stringify(loaded.config),
      inspect(loaded.config, { depth: 10 }),
      String(loaded.config.auth.queryApiToken),
      loaded.notices.join('\n'),
    ];
    expect(shown.join('\n')).not.toContain(planted);
    expect(shown[0]).toContain('[redacted]');
  });

  it.each([
    ['a wrong type', `auth:\n  query_api_token: {a: ${planted}}`],
    ['a misspelled key', `auth:\n  query_api_tokn: ${planted}`],
    ['broken YAML', `auth:\n  query_api_token: "${planted}\n  x: [${planted}`],
    ['text where a comma is missing', `ingest.bulk.tokens: [a] ${planted}`],
    ['a tab', `auth:\n\tquery_api_token: ${planted}`],
  ])('in %s is not in the problem', (_, text) => {
    const problems = problemsOf(fromFile(text));
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('\n')).not.toContain(planted);
  });
});

describe('printing', () => {
  it('gives YAML that loads to the same configuration', () => {
    const loaded = resolveConfig(
      fromFile('storage.publish_bytes: 64MiB\nserver.listen: "[::1]:0"'),
    );
    const printed = printConfig(loaded);
    expect(printed).toContain('publish_bytes: 67108864 # varve.yaml:1');
    expect(Object.keys(parse(printed) as object)).toContain('ingest');
    expect(resolveConfig(fromFile(printed)).config).toEqual(loaded.config);
  });

  it('has a reference page that is current', async () => {
    const page = await readFile(
      new URL('../../../../docs/reference/configuration.md', import.meta.url),
      'utf8',
    );
    expect(page).toBe(renderConfigReference());
    for (const path of optionPaths) expect(page).toContain(`\`${envName(path)}\``);
  });

  it('describes every option in a sentence', () => {
    for (const path of optionPaths) expect(options[path].description).toMatch(/^[A-Z`].*\.$/);
  });
});
