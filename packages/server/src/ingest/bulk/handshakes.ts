import type { RouteInput } from '../http/index.ts';

/** What the node says it is, to clients that ask before they send. */
export interface ClusterIdentity {
  readonly version: string;
  readonly nodeName: string;
  readonly clusterName: string;
  readonly clusterUuid: string;
}

export const defaultIdentity: ClusterIdentity = {
  version: '8.19.0',
  nodeName: 'varve',
  clusterName: 'varve',
  clusterUuid: 'dmFydmUtZXZlbnQtc3RvcmU',
};

export interface HandshakeAnswer {
  readonly status: number;
  /** A string is plain text. */
  readonly body: unknown;
}

const ok = (body: unknown): HandshakeAnswer => ({ status: 200, body });
const acknowledged = ok({ acknowledged: true });

const license = {
  status: 'active',
  uid: '00000000-0000-0000-0000-000000000000',
  type: 'basic',
  mode: 'basic',
  issue_date: '2020-01-01T00:00:00.000Z',
  issue_date_in_millis: 1_577_836_800_000,
  max_nodes: null,
  max_resource_units: null,
  issued_to: 'varve',
  issuer: 'elasticsearch',
  start_date_in_millis: -1,
};

/** Beats modules look for the processors of their pipelines. */
const processors = ['date', 'geoip', 'grok', 'json', 'rename', 'script', 'set', 'user_agent'];

function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let place = 0; place < 3; place++) {
    const difference = (left?.[place] ?? 0) - (right?.[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Beats refuse a server that is older than they are, so they are told their own version then. */
export function versionFor(userAgent: string | undefined, configured: string): string {
  const beat = /beat\/(\d{1,3}\.\d{1,3}\.\d{1,3})/i.exec(userAgent ?? '')?.[1];
  return beat !== undefined && compareVersions(beat, configured) > 0 ? beat : configured;
}

function info(identity: ClusterIdentity, input: RouteInput): unknown {
  return {
    name: identity.nodeName,
    cluster_name: identity.clusterName,
    cluster_uuid: identity.clusterUuid,
    version: {
      number: versionFor(input.headers['user-agent'], identity.version),
      build_flavor: 'default',
      build_type: 'tar',
      build_hash: '0000000000000000000000000000000000000000',
      build_date: '2025-01-01T00:00:00.000000000Z',
      build_snapshot: false,
      lucene_version: '9.12.0',
      minimum_wire_compatibility_version: '7.17.0',
      minimum_index_compatibility_version: '7.0.0',
    },
    tagline: 'You Know, for Search',
  };
}

function clusterHealth(identity: ClusterIdentity): unknown {
  return {
    cluster_name: identity.clusterName,
    status: 'green',
    timed_out: false,
    number_of_nodes: 1,
    number_of_data_nodes: 1,
    active_primary_shards: 1,
    active_shards: 1,
    relocating_shards: 0,
    initializing_shards: 0,
    unassigned_shards: 0,
    delayed_unassigned_shards: 0,
    number_of_pending_tasks: 0,
    number_of_in_flight_fetch: 0,
    task_max_waiting_in_queue_millis: 0,
    active_shards_percent_as_number: 100,
  };
}

/** The node under the address that the client itself used, so that one that sniffs comes back here. */
function nodes(identity: ClusterIdentity, input: RouteInput): unknown {
  const address = input.headers['host'] ?? 'localhost';
  const node = {
    name: identity.nodeName,
    version: versionFor(input.headers['user-agent'], identity.version),
    roles: ['data', 'ingest', 'master'],
    http: { bound_address: [address], publish_address: address },
    ingest: { processors: processors.map((type) => ({ type })) },
  };
  return {
    _nodes: { total: 1, successful: 1, failed: 0 },
    cluster_name: identity.clusterName,
    nodes: { [identity.clusterUuid]: node },
  };
}

/** Things that a sender may look for or install; all are there already and taking them changes nothing. */
const resources =
  /^\/(_template|_index_template|_component_template|_ilm\/policy|_data_stream|_ingest\/pipeline|_alias)(\/[^/]+)?$/;

function resource(input: RouteInput, name: string | undefined): HandshakeAnswer {
  if (input.method !== 'GET' && input.method !== 'HEAD') return acknowledged;
  return ok(name === '_data_stream' ? { data_streams: [] } : {});
}

function read(identity: ClusterIdentity, input: RouteInput): HandshakeAnswer | undefined {
  const { path } = input;
  switch (path) {
    case '/':
      return ok(info(identity, input));
    case '/_license':
      return ok({ license });
    case '/_xpack':
      return ok({
        build: { hash: '0000000', date: '2025-01-01T00:00:00.000Z' },
        license: { uid: license.uid, type: 'basic', mode: 'basic', status: 'active' },
        features: {},
        tagline: 'You know, for X',
      });
    case '/_cluster/health':
      return ok(clusterHealth(identity));
    case '/_cat/health':
      return ok(`0 00:00:00 ${identity.clusterName} green 1 1 1 1 0 0 0 0 - 100.0%\n`);
  }
  return path === '/_nodes' || path.startsWith('/_nodes/') ? ok(nodes(identity, input)) : undefined;
}

const indexPath = /^\/[^_/][^/]*$/;
/** Left to the listener, which answers them without credentials. */
const probePath = /^\/(health|ready)$/;

/**
 * Answers for what clients ask before, between and besides sending events. Undefined: not one of these paths;
 * a list: the methods that the path takes.
 */
export function answerHandshake(
  identity: ClusterIdentity,
  input: RouteInput,
): HandshakeAnswer | readonly string[] | undefined {
  const { method, path } = input;
  const isRead = method === 'GET' || method === 'HEAD';
  const isWrite = method === 'PUT' || method === 'POST';
  const found = read(identity, input);
  if (found !== undefined) return isRead ? found : ['GET', 'HEAD'];
  const name = resources.exec(path);
  if (name !== null) {
    return isRead || isWrite ? resource(input, name[1]) : ['GET', 'HEAD', 'PUT', 'POST'];
  }
  if (path === '/_monitoring/bulk') {
    return isWrite ? ok({ took: 0, ignored: true, errors: false }) : ['POST', 'PUT'];
  }
  if (!indexPath.test(path) || (isRead && probePath.test(path))) return undefined;
  if (isRead) return ok({});
  const index = path.slice(1);
  return method === 'PUT'
    ? ok({ acknowledged: true, shards_acknowledged: true, index })
    : ['GET', 'HEAD', 'PUT'];
}
