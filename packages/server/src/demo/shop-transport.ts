import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { encodeBulkBody } from './bulk-body.ts';
import { DemoError } from './demo-error.ts';
import type { DemoEvent } from './demo-event.ts';
import type { ServiceName } from './fleet.ts';
import { encodeOtlpBody } from './otlp-body.ts';
import { RetryingSender } from './retrying-sender.ts';

/** Infrastructure logs come from files through a bulk shipper, applications speak OTLP. */
const bulkServices = new Set<string>([
  'postgres',
  'redis',
  'node-agent',
  'cron',
] satisfies ServiceName[]);
const batchEvents = 4000;

export interface SentTotals {
  readonly otlpEvents: number;
  readonly bulkEvents: number;
  /** Of the bulk events, those the node said it had already. */
  readonly alreadyStored: number;
  readonly resentBatches: number;
  readonly bytes: number;
}

export interface ShopTransportOptions {
  readonly otlpUrl: string | undefined;
  readonly bulkUrl: string | undefined;
  readonly token: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWait?: (reason: string, delayMs: number) => void;
}

/** Sends the shop's events the way its services would. With one listener only, that one takes everything. */
export class ShopTransport {
  readonly #otlp: RetryingSender | undefined;
  readonly #bulk: RetryingSender | undefined;
  #otlpEvents = 0;
  #bulkEvents = 0;
  #alreadyStored = 0;

  constructor(options: ShopTransportOptions) {
    const { otlpUrl, bulkUrl, ...shared } = options;
    this.#otlp =
      otlpUrl === undefined
        ? undefined
        : new RetryingSender({
            ...shared,
            url: endpoint(otlpUrl, '/v1/logs'),
            contentType: 'application/json',
          });
    this.#bulk =
      bulkUrl === undefined
        ? undefined
        : new RetryingSender({
            ...shared,
            url: endpoint(bulkUrl, '/_bulk'),
            contentType: 'application/x-ndjson',
          });
  }

  get totals(): SentTotals {
    return {
      otlpEvents: this.#otlpEvents,
      bulkEvents: this.#bulkEvents,
      alreadyStored: this.#alreadyStored,
      resentBatches: (this.#otlp?.report.resent ?? 0) + (this.#bulk?.report.resent ?? 0),
      bytes: (this.#otlp?.report.bytes ?? 0) + (this.#bulk?.report.bytes ?? 0),
    };
  }

  /** Resolves when the node has acknowledged every event. */
  async send(events: readonly DemoEvent[]): Promise<void> {
    const isBulk = (event: DemoEvent): boolean =>
      this.#otlp === undefined ||
      (this.#bulk !== undefined && bulkServices.has(event.resource.service));
    const bulk: DemoEvent[] = [];
    const otlp: DemoEvent[] = [];
    for (const event of events) (isBulk(event) ? bulk : otlp).push(event);
    await Promise.all([this.#sendOtlp(otlp), this.#sendBulk(bulk)]);
  }

  async #sendOtlp(events: readonly DemoEvent[]): Promise<void> {
    for (const batch of batches(events)) {
      await this.#otlp?.send(encodeOtlpBody(batch));
      this.#otlpEvents += batch.length;
    }
  }

  async #sendBulk(events: readonly DemoEvent[]): Promise<void> {
    for (const batch of batches(events)) {
      if (this.#bulk === undefined) return;
      const answer = await this.#bulk.send(encodeBulkBody(batch));
      this.#alreadyStored += countConflicts(answer);
      this.#bulkEvents += batch.length;
    }
  }
}

const bulkAnswer = z.object({
  errors: z.boolean(),
  items: z.array(
    z.record(z.string(), z.object({ status: z.number(), error: z.unknown().optional() })),
  ),
});

/** How many events of a batch were there already; an item refused for any other reason is an error. */
function countConflicts(answer: string): number {
  if (!answer.includes('"errors":true')) return 0;
  const parsed = bulkAnswer.safeParse(JSON.parse(answer));
  if (!parsed.success) throw new DemoError('the bulk listener gave an answer of another shape');
  const failed = parsed.data.items.flatMap(Object.values).filter((item) => item.status >= 300);
  const other = failed.find((item) => item.status !== 409);
  if (other !== undefined) {
    throw new DemoError(
      `the bulk listener refused an event with ${other.status}: ${JSON.stringify(other.error)}`,
    );
  }
  return failed.length;
}

function* batches(events: readonly DemoEvent[]): Generator<readonly DemoEvent[]> {
  for (let at = 0; at < events.length; at += batchEvents) yield events.slice(at, at + batchEvents);
}

/** A full endpoint is kept, a bare address gets the protocol's own path. */
function endpoint(url: string, path: string): string {
  return new URL(url).pathname === '/' ? new URL(path, url).href : url;
}
