import type { DemoResource } from './demo-event.ts';
import { hashNumbers } from './random.ts';

export const serviceNames = [
  'gateway',
  'checkout',
  'payment',
  'inventory',
  'search',
  'auth',
  'mailer',
  'postgres',
  'redis',
  'kafka-consumer',
  'node-agent',
  'cron',
] as const;
export type ServiceName = (typeof serviceNames)[number];

export const checkoutVersions = { v1: '1.41.3', v2: '2.0.0' } as const;

interface ServiceFacts {
  readonly version: string;
  readonly namespace: string;
  readonly replicas: number;
}

const facts: Readonly<Record<ServiceName, ServiceFacts>> = {
  gateway: { version: '3.12.0', namespace: 'edge', replicas: 3 },
  checkout: { version: checkoutVersions.v1, namespace: 'shop', replicas: 3 },
  payment: { version: '5.8.1', namespace: 'shop', replicas: 2 },
  inventory: { version: '0.94.2', namespace: 'shop', replicas: 2 },
  search: { version: '7.3.0', namespace: 'shop', replicas: 3 },
  auth: { version: '2.20.4', namespace: 'identity', replicas: 2 },
  mailer: { version: '1.9.0', namespace: 'shop', replicas: 1 },
  postgres: { version: '17.6', namespace: 'data', replicas: 2 },
  redis: { version: '8.2.1', namespace: 'data', replicas: 1 },
  'kafka-consumer': { version: '4.1.0', namespace: 'data', replicas: 3 },
  'node-agent': { version: '1.33.2', namespace: 'kube-system', replicas: 6 },
  cron: { version: '1.2.0', namespace: 'platform', replicas: 1 },
};

export interface Placement {
  readonly service: ServiceName;
  readonly region: string;
  readonly env: string;
  /** Any number; it chooses one of the replicas. */
  readonly replica: number;
  readonly version?: string;
}

/** The running copies of every service; the same placement always gives the same object. */
export class Fleet {
  readonly #resources = new Map<string, DemoResource>();

  resource(placement: Placement): DemoResource {
    const { service, region, env } = placement;
    const known = facts[service];
    const version = placement.version ?? known.version;
    const replica = placement.replica % known.replicas;
    const key = `${service}|${region}|${env}|${version}|${replica}`;
    const found = this.#resources.get(key);
    if (found !== undefined) return found;
    const revision = hashNumbers(Array.from(`${service}${version}`, charCode));
    const suffix = hashNumbers([revision, replica, ...Array.from(region + env, charCode)]);
    const resource: DemoResource = {
      service,
      version,
      host: `ip-${region}-${(suffix % 6) + 1}`,
      pod: `${service}-${revision.toString(36).slice(0, 7)}-${suffix.toString(36).slice(0, 5)}`,
      namespace: known.namespace,
      env,
      region,
    };
    this.#resources.set(key, resource);
    return resource;
  }
}

function charCode(character: string): number {
  return character.codePointAt(0) ?? 0;
}
