import type { Random } from './workload/random.ts';

/** A log event as a web shop's services write it: 475 bytes as a JSON line on average, 8 attributes. */
export interface BenchEvent {
  readonly severityNumber: number;
  readonly severityText: string;
  /** The part of the message before the request id; the id itself is stamped on when the event is sent. */
  readonly bodyStart: string;
  readonly bodyEnd: string;
  readonly attributes: readonly (readonly [key: string, value: string])[];
}

/** Events of one process: what OTLP calls a resource. */
export interface EventGroup {
  readonly resource: readonly (readonly [key: string, value: string])[];
  readonly events: readonly BenchEvent[];
}

/** Names the service of a resource, for encoders without resources as well. */
export const serviceKey = 'service.name';

interface Service {
  readonly name: string;
  readonly namespace: string;
  /** Share of the events, relative to the other services. */
  readonly weight: number;
  readonly paths: readonly [string, ...string[]];
}

const services: readonly [Service, ...Service[]] = [
  {
    name: 'edge-proxy',
    namespace: 'edge',
    weight: 30,
    paths: ['/', '/api/v1/session', '/assets/app-%.js'],
  },
  {
    name: 'catalogue',
    namespace: 'shop',
    weight: 20,
    paths: ['/api/v1/products/%', '/api/v1/search/page/%'],
  },
  {
    name: 'cart',
    namespace: 'shop',
    weight: 14,
    paths: ['/api/v1/carts/%/items', '/api/v1/carts/%'],
  },
  {
    name: 'checkout',
    namespace: 'shop',
    weight: 10,
    paths: ['/api/v1/orders', '/api/v1/orders/%/confirm'],
  },
  {
    name: 'payment',
    namespace: 'finance',
    weight: 7,
    paths: ['/v2/charges', '/v2/charges/%/capture'],
  },
  { name: 'inventory', namespace: 'warehouse', weight: 7, paths: ['/stock/%', '/stock/%/reserve'] },
  { name: 'shipping', namespace: 'warehouse', weight: 5, paths: ['/labels', '/parcels/%/track'] },
  { name: 'recommender', namespace: 'data', weight: 4, paths: ['/v1/users/%/similar'] },
  { name: 'mailer', namespace: 'platform', weight: 2, paths: ['/send/order-%'] },
  { name: 'auth', namespace: 'platform', weight: 1, paths: ['/oauth/token', '/users/%/keys'] },
];

const totalWeight = services.reduce((sum, service) => sum + service.weight, 0);
const methods = ['GET', 'GET', 'GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE'] as const;
const statuses = ['200', '200', '200', '200', '200', '201', '204', '304', '404'] as const;
const failures = ['500', '502', '503', '504'] as const;
const reasons = ['connection reset by peer', 'upstream timed out', 'deadlock detected'] as const;
const pools = ['primary', 'replica-1', 'replica-2'] as const;

/**
 * A batch as a collector sends it: `events` events from `groups` processes, each process with its own resource.
 * The same random state gives the same batch.
 */
export function makeBatch(random: Random, size: { events: number; groups: number }): EventGroup[] {
  const batch: EventGroup[] = [];
  for (let index = 0; index < size.groups; index++) {
    const from = Math.floor((index * size.events) / size.groups);
    const to = Math.floor(((index + 1) * size.events) / size.groups);
    const service = pickService(random);
    const events = Array.from({ length: to - from }, () => makeEvent(random, service));
    batch.push({ resource: makeResource(random, service), events });
  }
  return batch;
}

function pickService(random: Random): Service {
  let rest = random.below(totalWeight);
  for (const service of services) {
    rest -= service.weight;
    if (rest < 0) return service;
  }
  return services[0];
}

function makeResource(random: Random, service: Service): EventGroup['resource'] {
  const host = `ip-10-${3 + (service.weight % 3)}-${random.below(4)}-${10 + random.below(6)}`;
  return [
    [serviceKey, service.name],
    ['host.name', `${host}.eu-central-1.compute.internal`],
    ['k8s.namespace.name', service.namespace],
    ['deployment.environment.name', 'production'],
  ];
}

function makeEvent(random: Random, service: Service): BenchEvent {
  const method = random.pick(methods);
  const path = random.pick(service.paths).replace('%', String(random.skewed(1000, 900_000)));
  const isFailure = random.below(100) === 0;
  const status = isFailure ? random.pick(failures) : random.pick(statuses);
  const attributes = [
    ['http.request.method', method],
    ['url.path', path],
    ['http.response.status_code', status],
  ] as const;
  if (isFailure) {
    const [bodyStart, bodyEnd] = failureText(random, service.name, path);
    return { severityNumber: 17, severityText: 'ERROR', bodyStart, bodyEnd, attributes };
  }
  const isDebug = random.below(12) === 0;
  const bodyStart = isDebug
    ? `cache lookup for ${path} by request `
    : `${method} ${path} answered ${status} in ${random.skewed(1, 4000)} ms to request `;
  const bodyEnd = isDebug
    ? ` found ${random.below(40)} entries on shard ${random.below(16)}, generation ${random.below(90_000)}`
    : ` from user ${random.skewed(10_000, 2_000_000)}, ${random.skewed(180, 60_000)} bytes sent`;
  return {
    severityNumber: isDebug ? 5 : 9,
    severityText: isDebug ? 'DEBUG' : 'INFO',
    bodyStart,
    bodyEnd,
    attributes,
  };
}

function failureText(random: Random, service: string, path: string): [string, string] {
  const start = `${service} failed at ${path}: ${random.pick(reasons)} (${random.pick(pools)}) for request `;
  return [start, `, attempt ${random.between(1, 5)} after ${random.skewed(20, 30_000)} ms`];
}
