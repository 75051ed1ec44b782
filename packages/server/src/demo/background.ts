import type { AttributeValue, Severity } from './demo-event.ts';
import { checkoutVersions, type ServiceName } from './fleet.ts';
import {
  cronLines,
  kafkaConsumerLines,
  nodeAgentLines,
  postgresLines,
  redisLines,
} from './line/platform.ts';
import { createScene, regions, type Repertoire, type Scene } from './scene.ts';
import type { Stage } from './stage.ts';
import { nightlyMs, situationAt } from './timeline.ts';

interface Chatter {
  readonly service: ServiceName;
  /** Events per second per event per second of the whole shop. */
  readonly share: number;
  readonly repertoire: Repertoire;
  readonly attributes: (scene: Scene) => Record<string, AttributeValue>;
}

/** What the machinery says whether or not anybody shops. */
const chatter: readonly Chatter[] = [
  {
    service: 'postgres',
    share: 0.06,
    repertoire: postgresLines,
    attributes: (s) => ({
      'db.system': 'postgresql',
      'db.name': 'shop',
      'process.pid': s.random.int(2, 32000),
    }),
  },
  {
    service: 'redis',
    share: 0.04,
    repertoire: redisLines,
    attributes: (s) => ({ 'db.system': 'redis', 'redis.role': s.random.pick(['M', 'S', 'C']) }),
  },
  {
    service: 'kafka-consumer',
    share: 0.05,
    repertoire: kafkaConsumerLines,
    attributes: (s) => ({
      'messaging.system': 'kafka',
      'messaging.consumer.group': 'order-projection',
      'messaging.partition': s.random.int(0, 11),
    }),
  },
  {
    service: 'node-agent',
    share: 0.04,
    repertoire: nodeAgentLines,
    attributes: (s) => ({ 'cloud.region': s.region, 'k8s.node.ready': s.random.chance(0.998) }),
  },
  {
    service: 'cron',
    share: 0.01,
    repertoire: cronLines,
    attributes: (s) => ({ 'process.pid': s.random.int(2, 32000) }),
  },
];
const healthCheckShare = 0.06;

/** Share of all events that does not come from customers. */
export const backgroundShare =
  chatter.reduce((sum, entry) => sum + entry.share, 0) + healthCheckShare;

export function playBackground(stage: Stage, rate: number): void {
  const { random } = stage;
  for (const { service, share, repertoire, attributes } of chatter) {
    for (let left = random.poisson(share * rate); left > 0; left--) {
      const scene = createScene(random, '');
      scene.durationMs = random.latency(40, 1);
      const line = repertoire.pick(random);
      stage.say({
        service,
        timeMs: stage.slotMs + random.next() * 1000,
        severity: line.severity,
        body: line.render(scene),
        region: scene.region,
        attributes: attributes(scene),
      });
    }
  }
  for (let left = random.poisson(healthCheckShare * rate); left > 0; left--) {
    healthCheck(stage);
  }
}

function healthCheck(stage: Stage): void {
  const { random } = stage;
  const service = random.pick(['gateway', 'checkout', 'payment', 'search', 'auth']);
  stage.say({
    service,
    timeMs: stage.slotMs + random.next() * 1000,
    severity: 'DEBUG',
    body: `GET /healthz 200 ${random.int(0, 3)} ms kube-probe/1.33`,
    region: random.pick(regions),
    attributes: {
      'http.route': '/healthz',
      'http.request.method': 'GET',
      'http.response.status_code': 200,
    },
  });
}

type Cue = readonly [atMs: number, service: ServiceName, severity: Severity, body: string];

/** The failover as the database and its neighbours tell it; nothing else ever says these lines. */
const failoverCues: readonly Cue[] = [
  [0, 'node-agent', 'ERROR', 'node node-4 is not ready: kubelet stopped posting status'],
  [2000, 'postgres', 'FATAL', 'terminating connection due to administrator command'],
  [4000, 'postgres', 'ERROR', 'primary pg-0 does not answer, starting election for timeline 18'],
  [9000, 'redis', 'WARN', 'quorum lost for group shop-primary, 1 of 3 sentinels agree'],
  [21_000, 'postgres', 'WARN', 'standby pg-1 promoted to primary on timeline 18'],
  [30_000, 'kafka-consumer', 'ERROR', 'order projection paused: read model is read-only'],
  [45_000, 'postgres', 'INFO', 'database system is ready to accept read-write connections'],
  [60_000, 'kafka-consumer', 'INFO', 'order projection resumed, catching up'],
  [240_000, 'postgres', 'INFO', 'former primary pg-0 rejoined as standby after rewind'],
  [400_000, 'cron', 'WARN', 'failover report written: 41 s without a writable primary'],
];

/** Lines that belong to a moment rather than to a rate. */
export function playOccasions(stage: Stage, seed: number): void {
  const { situation, slotMs } = stage;
  const cue = (service: ServiceName, severity: Severity, body: string): void =>
    stage.say({
      service,
      timeMs: slotMs + stage.random.next() * 200,
      severity,
      body,
      region: 'eu-west-1',
      attributes: { 'cloud.region': 'eu-west-1' },
    });
  for (const [atMs, service, severity, body] of failoverCues) {
    if (situation.failoverAgeMs === atMs) cue(service, severity, body);
  }

  const before = situationAt(seed, slotMs - 1000).checkoutV2Share;
  const after = situation.checkoutV2Share;
  if (before === 0 && after > 0) {
    cue('node-agent', 'INFO', `rolling update of checkout to ${checkoutVersions.v2} started`);
  } else if (before < 1 && after === 1) {
    cue('node-agent', 'INFO', `rolling update of checkout to ${checkoutVersions.v2} complete`);
  } else if (before > 0 && after === 0) {
    cue('node-agent', 'WARN', `checkout rolled back to ${checkoutVersions.v1}`);
  }

  playNightly(situation.nightlyAgeMs, stage, cue);
}

function playNightly(
  ageMs: number | undefined,
  stage: Stage,
  cue: (service: ServiceName, severity: Severity, body: string) => void,
): void {
  if (ageMs === undefined) return;
  const { random } = stage;
  if (ageMs === 0) cue('cron', 'INFO', '(shop) CMD (/usr/local/bin/settle-orders --yesterday)');
  if (ageMs % 10_000 === 0) {
    const done = Math.round((ageMs / nightlyMs) * 100);
    cue(
      'cron',
      'INFO',
      `settlement ${done} percent done, ${random.int(800, 4000)} orders in batch`,
    );
    cue(
      'postgres',
      'WARN',
      `temporary file: path "base/pgsql_tmp/pgsql_tmp${random.int(2, 32000)}.1", size ${random.int(10_000_000, 900_000_000)}`,
    );
  }
  if (ageMs + 1000 === nightlyMs) {
    cue('cron', 'INFO', `settlement finished: ${random.int(90_000, 140_000)} orders in 720 s`);
  }
}
