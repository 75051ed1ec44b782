import type { AttributeValue, DemoEvent, JsonBody, Severity } from './demo-event.ts';
import type { Fleet, ServiceName } from './fleet.ts';
import type { Random } from './random.ts';
import type { Situation } from './timeline.ts';

export interface Utterance {
  readonly service: ServiceName;
  readonly timeMs: number;
  readonly severity: Severity;
  readonly body: string | JsonBody;
  readonly region: string;
  readonly env?: string;
  readonly version?: string;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly traceId?: string;
  readonly spanId?: string;
}

/** Where one slot of time plays: what is going on, and the events said so far. */
export class Stage {
  readonly random: Random;
  readonly situation: Situation;
  readonly slotMs: number;
  readonly events: DemoEvent[] = [];
  readonly #fleet: Fleet;
  readonly #idPrefix: string;

  constructor(options: {
    readonly random: Random;
    readonly situation: Situation;
    readonly slotMs: number;
    readonly fleet: Fleet;
    readonly idPrefix: string;
  }) {
    this.random = options.random;
    this.situation = options.situation;
    this.slotMs = options.slotMs;
    this.#fleet = options.fleet;
    this.#idPrefix = options.idPrefix;
  }

  say(utterance: Utterance): void {
    const { service, region, version, traceId, spanId } = utterance;
    const wholeMs = Math.floor(utterance.timeMs);
    this.events.push({
      id: `${this.#idPrefix}${this.events.length.toString(36)}`,
      timeMs: wholeMs,
      nanos: Math.floor((utterance.timeMs - wholeMs) * 1000) * 1000 + this.random.int(0, 999),
      resource: this.#fleet.resource({
        service,
        region,
        env: utterance.env ?? 'production',
        replica: this.random.int(0, 63),
        ...(version === undefined ? {} : { version }),
      }),
      severity: utterance.severity,
      body: utterance.body,
      attributes: utterance.attributes,
      ...(traceId === undefined ? {} : { traceId }),
      ...(spanId === undefined ? {} : { spanId }),
    });
  }
}
