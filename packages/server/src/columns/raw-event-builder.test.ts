import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { encodeRecordBatch, encodeSchemaMessage, endOfStream } from './arrow-ipc.ts';
import {
  eventDuplicate,
  eventOutOfTime,
  eventStored,
  RawEventBuilder,
} from './raw-event-builder.ts';
import { rawEventsSchema } from './schema.ts';
import { SharedAttributes } from './shared-attributes.ts';
import type { TimestampPolicy } from './time-window.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const nowNs = 1_700_000_000_123_456_789n;
const clamp: TimestampPolicy = { maxFutureNs: 1000n, maxAgeNs: undefined, action: 'clamp' };

function setup(
  overrides: { timestamps?: TimestampPolicy; maxAttributes?: number; seen?: Set<string> } = {},
) {
  const seen = overrides.seen ?? new Set<string>();
  const builder = new RawEventBuilder({
    limits: {
      maxEventBytes: 1000,
      maxAttributes: overrides.maxAttributes ?? 4,
      maxBatchBytes: 5000,
    },
    timestamps: overrides.timestamps ?? clamp,
    dedup: {
      insert(_tenant, _tenantSpan, id, span) {
        const key = new TextDecoder().decode(id.subarray(span.start, span.end));
        return !seen.has(key) && seen.add(key) === seen;
      },
    },
  });
  builder.beginRequest({ nowNs, tenant: text('acme'), source: text('otlp') });
  const attribute = (key: string, value: string): void =>
    builder.attributeText(text(key), text(value));
  const body = (value: string): void => builder.setBody(text(value), 0, text(value).length);
  const rows = () => {
    const pieces = [
      encodeSchemaMessage(rawEventsSchema),
      ...encodeRecordBatch(builder.batch),
      endOfStream,
    ];
    return tableFromIPC(Buffer.concat(pieces))
      .toArray()
      .map((row) => {
        const plain: Record<string, unknown> = row.toJSON();
        return {
          ...plain,
          attributes: Object.fromEntries(plain['attributes'] as Iterable<[string, unknown]>),
        };
      });
  };
  return { builder, attribute, body, rows };
}

describe('RawEventBuilder', () => {
  it('fills the ten columns from setters, defaults and attributes', () => {
    const { builder, attribute, body, rows } = setup();
    builder.begin();
    builder.setTimeNs(1_600_000_000_000_000_001n);
    body('héllo');
    attribute('env', 'dev');
    attribute('service.name', 'checkout');
    attribute('deployment.environment.name', 'prod');
    builder.setSeverity(17);
    expect(builder.end()).toBe(eventStored);
    builder.begin();
    expect(builder.end()).toBe(eventStored);
    expect(rows()).toEqual([
      {
        timestamp_ns: 1_600_000_000_000_000_001n,
        source: 'otlp',
        service: 'checkout',
        body: 'héllo',
        idempotency_key: null,
        attributes: {
          env: 'dev',
          'service.name': 'checkout',
          'deployment.environment.name': 'prod',
          severity: 'ERROR',
          severity_number: '17',
        },
        host: null,
        env: 'prod',
        namespace: null,
        tenant: 'acme',
      },
      {
        timestamp_ns: nowNs,
        source: 'otlp',
        service: 'unknown_service',
        body: null,
        idempotency_key: null,
        attributes: {},
        host: null,
        env: null,
        namespace: null,
        tenant: 'acme',
      },
    ]);
  });

  it('keeps the shared attribute that loses a clash under resource.', () => {
    const { builder, attribute, rows } = setup();
    const shared = new SharedAttributes();
    for (const [key, value] of [
      ['host', 'from-resource'],
      ['region', 'eu'],
    ] as const) {
      const bytes = text(key + value);
      shared.add(bytes, 0, key.length, bytes, key.length, bytes.length);
    }
    builder.begin();
    attribute('host', 'own');
    attribute('host', 'twice');
    builder.sharedAttributes(shared);
    builder.end();
    expect(rows()[0]).toMatchObject({
      host: 'own',
      attributes: {
        host: 'own',
        'duplicate.host': 'twice',
        'resource.host': 'from-resource',
        region: 'eu',
      },
    });
  });

  it('stores an event with a known id once and leaves no trace of the second', () => {
    const { builder, body, rows } = setup();
    const add = (id: string): number => {
      builder.begin();
      body(`body of ${id}`);
      builder.setIdempotencyKey(text('otlp:'), text(id), 0, id.length);
      return builder.end();
    };
    expect([add('a'), add('b'), add('a')]).toEqual([eventStored, eventStored, eventDuplicate]);
    expect(rows().map((row) => row)).toMatchObject([
      { idempotency_key: 'otlp:a', body: 'body of a' },
      { idempotency_key: 'otlp:b', body: 'body of b' },
    ]);
  });

  it('clamps times outside the window to its nearest end, negative ones to zero', () => {
    const { builder, rows } = setup();
    for (const time of [-5n, nowNs + 1001n, nowNs + 1000n, 0n]) {
      builder.begin();
      builder.setTimeNs(time);
      builder.end();
    }
    expect(rows()).toMatchObject([
      { timestamp_ns: 0n },
      { timestamp_ns: nowNs + 1000n },
      { timestamp_ns: nowNs + 1000n },
      { timestamp_ns: 0n },
    ]);
  });

  it('rejects times outside the window when told to', () => {
    const { builder } = setup({
      timestamps: { maxFutureNs: 10n, maxAgeNs: 100n, action: 'reject' },
    });
    const outcomes = [-1n, nowNs - 101n, nowNs - 100n, nowNs + 10n, nowNs + 11n].map((time) => {
      builder.begin();
      builder.setTimeNs(time);
      return builder.end();
    });
    expect(outcomes).toEqual([
      eventOutOfTime,
      eventOutOfTime,
      eventStored,
      eventStored,
      eventOutOfTime,
    ]);
    expect(builder.rows).toBe(2);
  });

  it('takes an event at the caps, throws one beyond them, and can be rolled back to before it', () => {
    const { builder, attribute, body, rows } = setup();
    builder.begin();
    body('first');
    builder.end();
    builder.begin();
    for (const key of ['a', 'b', 'c', 'd']) attribute(key, '1');
    builder.setSeverity(9);
    expect(builder.end()).toBe(eventStored);
    builder.begin();
    expect(() => {
      for (const key of ['a', 'b', 'c', 'd', 'e']) attribute(key, '1');
    }).toThrow(expect.objectContaining({ code: 'ingest_too_many_attributes' }));
    builder.batch.truncate(1);
    builder.begin();
    body('x'.repeat(1000 - 'unknown_service'.length));
    expect(builder.end()).toBe(eventStored);
    builder.begin();
    body('x'.repeat(1001 - 'unknown_service'.length));
    expect(() => builder.end()).toThrow(
      expect.objectContaining({ code: 'ingest_event_too_large' }),
    );
    builder.batch.truncate(2);
    expect(rows()).toHaveLength(2);
  });

  it('refuses a small body whose shared attributes would grow without bound', () => {
    const { builder } = setup();
    const shared = new SharedAttributes();
    shared.add(text('k'), 0, 1, text('v'.repeat(900)), 0, 900);
    expect(() => {
      for (let event = 0; event < 10; event++) {
        builder.begin();
        builder.sharedAttributes(shared);
        builder.end();
      }
    }).toThrow(expect.objectContaining({ code: 'ingest_batch_too_large' }));
  });
});
