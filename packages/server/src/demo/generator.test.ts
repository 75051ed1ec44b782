import { describe, expect, it } from 'vitest';
import type { DemoEvent } from './demo-event.ts';
import { serviceNames } from './fleet.ts';
import { ShopGenerator } from './generator.ts';
import { momentsBetween, situationAt } from './timeline.ts';

const dayMs = 86_400_000;
const noonMs = Date.UTC(2026, 2, 11, 12);

function momentTime(title: string, fromMs = noonMs): number {
  const moment = momentsBetween(1, fromMs, fromMs + dayMs).find((each) => each.title === title);
  if (moment === undefined) throw new Error(`no ${title} within a day`);
  return moment.timeMs;
}

const window = (fromMs: number, toMs: number, rate = 200): DemoEvent[] =>
  Array.from(new ShopGenerator({ seed: 1, rate }).window(fromMs, toMs));

const text = (event: DemoEvent): string =>
  typeof event.body === 'string' ? event.body : JSON.stringify(event.body);

describe('the shop generator', () => {
  it('gives the same events for the same seed, rate and window, however the window is cut', () => {
    const whole = window(noonMs, noonMs + 20_000);
    const later = window(noonMs + 7_000, noonMs + 20_000);
    const parts = [...window(noonMs, noonMs + 7_000), ...later];
    expect(whole.length).toBeGreaterThan(1000);
    expect(parts).toEqual(whole);
  });

  it('gives each event an id of its own, and other ids to another seed or rate', () => {
    const ids = (seed: number, rate: number): string[] =>
      Array.from(
        new ShopGenerator({ seed, rate }).window(noonMs, noonMs + 30_000),
        (event) => event.id,
      );
    const all = [...ids(1, 200), ...ids(2, 200), ...ids(1, 100)];
    expect(new Set(all).size).toBe(all.length);
  });

  it('keeps near the rate it is asked for over a week', () => {
    const generator = new ShopGenerator({ seed: 3, rate: 200 });
    let events = 0;
    let slots = 0;
    for (let at = noonMs; at < noonMs + 7 * dayMs; at += 293_000) {
      events += generator.slot(at).length;
      slots++;
    }
    expect(events / slots).toBeGreaterThan(185);
    expect(events / slots).toBeLessThan(215);
  });

  it('is busier in the afternoon than at night', () => {
    const afternoon = window(noonMs + 4 * 3_600_000, noonMs + 4 * 3_600_000 + 30_000).length;
    const night = window(noonMs + 16 * 3_600_000, noonMs + 16 * 3_600_000 + 30_000).length;
    expect(afternoon).toBeGreaterThan(night * 1.5);
  });

  it('has every service speak, some over several lines and some in JSON', () => {
    const events: DemoEvent[] = [];
    for (let at = noonMs; at < noonMs + dayMs; at += 600_000) {
      events.push(...window(at, at + 2000));
    }
    expect(new Set(events.map((event) => event.resource.service))).toEqual(new Set(serviceNames));
    expect(events.some((event) => text(event).includes('\n'))).toBe(true);
    expect(events.some((event) => typeof event.body === 'object')).toBe(true);
  });

  it('carries one trace id along a purchase through several services, with a span for each', () => {
    const traces = Map.groupBy(
      window(noonMs, noonMs + 10_000).filter((event) => event.traceId !== undefined),
      (event) => event.traceId,
    );
    const purchases = Array.from(traces.values()).filter((events) =>
      events.some((event) => text(event).includes('confirmed: ')),
    );
    expect(purchases.length).toBeGreaterThan(20);
    for (const events of purchases) {
      const services = new Set(events.map((event) => event.resource.service));
      expect(services).toContain('gateway');
      expect(services).toContain('checkout');
      expect(services).toContain('payment');
      expect(new Set(events.map((event) => event.spanId)).size).toBe(services.size);
      expect(new Set(events.map((event) => event.attributes['user.id'])).size).toBe(1);
    }
  });
});

describe('what happens to the shop', () => {
  const rolloutMs = momentTime('checkout 2.0.0 rolls out');
  const before = window(rolloutMs - 600_000, rolloutMs, 100);
  const after = window(rolloutMs + 600_000, rolloutMs + 1_200_000, 100);

  it('replaces a template of checkout when version 2 rolls out', () => {
    const counts = (events: readonly DemoEvent[]): number[] => [
      events.filter((event) => text(event).startsWith('legacy pricing')).length,
      events.filter((event) => text(event).includes('confirmed by pricing service')).length,
      events.filter((event) => event.resource.version === '2.0.0').length,
    ];
    expect(counts(before)).toEqual([expect.toSatisfy((count) => count > 100), 0, 0]);
    expect(counts(after)).toEqual([
      0,
      expect.toSatisfy((count) => count > 100),
      expect.toSatisfy((count) => count > 300),
    ]);
  });

  it('slows payments by sepa in eu-west-1 only, and only with version 2', () => {
    const median = (events: readonly DemoEvent[], method: string, region: string): number => {
      const times = events
        .filter(
          (event) =>
            text(event).includes('payment.authorised') &&
            event.attributes['payment.method'] === method &&
            event.attributes['cloud.region'] === region,
        )
        .map((event) => Number(event.attributes['duration_ms']))
        .sort((a, b) => a - b);
      return times[Math.floor(times.length / 2)] ?? NaN;
    };
    expect(median(after, 'sepa', 'eu-west-1')).toBeGreaterThan(1500);
    expect(median(before, 'sepa', 'eu-west-1')).toBeLessThan(400);
    expect(median(after, 'sepa', 'us-east-1')).toBeLessThan(400);
    expect(median(after, 'card', 'eu-west-1')).toBeLessThan(400);
  });

  it('repeats refused reservations during a retry storm', () => {
    const stormMs = momentTime('retry storm: checkout against inventory');
    const refusals = (fromMs: number): number =>
      window(fromMs, fromMs + 60_000, 50).filter((event) =>
        text(event).startsWith('reservation queue is full'),
      ).length;
    expect(refusals(stormMs)).toBeGreaterThan(100);
    expect(refusals(stormMs - 120_000)).toBe(0);
  });

  it('loses the primary at least twice within any 24 hours, with lines nothing else says', () => {
    for (let from = noonMs; from < noonMs + 2 * dayMs; from += 3_600_000) {
      const moments = momentsBetween(1, from, from + dayMs);
      const failovers = moments.filter((each) => each.title === 'postgres loses its primary');
      expect(failovers.length).toBeGreaterThanOrEqual(2);
    }
    const failoverMs = momentTime('postgres loses its primary');
    const says = (fromMs: number): boolean =>
      window(fromMs, fromMs + 60_000, 20).some((event) => text(event).includes('promoted'));
    expect(says(failoverMs)).toBe(true);
    expect(says(failoverMs - 600_000)).toBe(false);
  });

  it('names moments at which the situation really changes', () => {
    for (const { timeMs, title } of momentsBetween(9, noonMs, noonMs + dayMs)) {
      expect([title, situationAt(9, timeMs - 1000)]).not.toEqual([
        title,
        { ...situationAt(9, timeMs + 1000), traffic: situationAt(9, timeMs - 1000).traffic },
      ]);
    }
  });

  it('runs the nightly job from its command to its end', () => {
    const startMs = momentTime('nightly settlement job');
    const lines = window(startMs, startMs + 720_000, 1).filter((event) =>
      /settle-orders|settlement finished/.test(text(event)),
    );
    expect(lines.length).toBe(2);
  });
});
