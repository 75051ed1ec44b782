import type { DemoEvent } from './demo-event.ts';
import { Fleet, serviceNames } from './fleet.ts';
import { Random } from './random.ts';
import { createScene } from './scene.ts';

/**
 * `count` events for measurements, a function of seed and index alone: eight attributes each, and
 * close to 475 bytes when written as flat JSON (`flatJson`). Times step by a millisecond from `startMs`.
 */
export function generateBatch(options: {
  readonly seed: number;
  /** The first event's number; batches that follow each other do not repeat ids. */
  readonly index: number;
  readonly count: number;
  readonly startMs: number;
}): DemoEvent[] {
  const fleet = new Fleet();
  return Array.from({ length: options.count }, (_, offset) => {
    const number = options.index + offset;
    const random = new Random(options.seed, number);
    const scene = createScene(random, '/api/orders');
    const durationMs = Math.round(random.latency(120));
    return {
      id: `b${options.seed.toString(36)}-${number.toString(36)}`,
      timeMs: options.startMs + number,
      nanos: random.int(0, 999_999),
      resource: fleet.resource({
        service: random.pick(serviceNames),
        region: scene.region,
        env: 'production',
        replica: random.int(0, 63),
      }),
      severity: random.pick(['DEBUG', 'INFO', 'INFO', 'INFO', 'WARN', 'ERROR']),
      body: `order ${scene.order} of ${scene.user} for ${scene.words}: ${scene.amount} ${scene.currency} by ${scene.method}, reserved ${random.int(1, 9)} of ${scene.sku} in ${durationMs} ms, req ${random.hex(2)}`,
      attributes: {
        'user.id': scene.user,
        'http.route': scene.route,
        'http.response.status_code': random.pick([200, 200, 201, 404, 500]),
        'client.address': scene.ip,
        duration_ms: durationMs,
        'cloud.region': scene.region,
        trace_id: random.hex(4),
        span_id: random.hex(2),
      },
    };
  });
}

/** The flat JSON whose size the figure of 475 bytes speaks of. */
export function flatJson(event: DemoEvent): string {
  return JSON.stringify({
    timestamp: new Date(event.timeMs).toISOString(),
    severity: event.severity,
    service: event.resource.service,
    host: event.resource.host,
    body: event.body,
    attributes: event.attributes,
  });
}
