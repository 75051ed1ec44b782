import { expect, it } from 'vitest';
import { systemClock } from '../base/clock.ts';
import { NodeError } from '../base/errors.ts';
import { silentLogger } from '../base/logger.ts';
import { defaultDimensionSources, type RawEventBuilder } from '../columns/index.ts';
import { DedupWindow } from './dedup/dedup-window.ts';
import { createEventGroups } from './event-groups.ts';
import { GroupCommit } from './group-commit.ts';
import { IngestEngine } from './ingest-engine.ts';
import type { IngestRequest, Protocol } from './protocol.ts';

const encoder = new TextEncoder();

function addEvent(builder: RawEventBuilder, id: string): void {
  builder.begin();
  builder.setIdempotencyKey(encoder.encode('test:'), encoder.encode(id), 0, id.length);
  builder.end();
}

/** Adds one event, then does what the path says. */
const protocol: Protocol = {
  name: 'test',
  decode(request, _body, builder) {
    const rows = builder.rows;
    addEvent(builder, 'a');
    const reply = (): { status: number; headers: {}; body: string } => ({
      status: 200,
      headers: {},
      body: request.path,
    });
    if (request.path === '/fail') throw new NodeError('ingest_malformed_body', 'broken');
    if (request.path === '/refuse') {
      const rejected = { ingest_event_too_large: 2 };
      return { received: 2, stored: 0, deduplicated: 0, rejected, isRolledBack: true, reply };
    }
    const stored = builder.rows - rows;
    return { received: 1, stored, deduplicated: 1 - stored, rejected: {}, reply };
  },
  replyToError: (error) => ({ status: 400, headers: {}, body: error.code }),
};

function setup() {
  const written: number[] = [];
  const dedup = new DedupWindow({ windowEvents: 1000, seed: Uint32Array.of(1, 2, 3, 4) });
  const limits = { maxEventBytes: 1000, maxAttributes: 10, maxBatchBytes: 10_000 };
  const timestamps = { maxFutureSecs: 60, maxAgeSecs: undefined, action: 'clamp' } as const;
  const group = new GroupCommit({
    batches: createEventGroups(
      { limits, timestamps, dimensions: defaultDimensionSources },
      {
        insert: (tenant, tenantSpan, id, idSpan) => dedup.insert(tenant, tenantSpan, id, idSpan),
      },
    ),
    log: {
      append: async (_pieces, rows) => {
        written.push(rows);
      },
    },
    dedup,
    logger: silentLogger,
    groupMaxBytes: 1 << 20,
  });
  const engine = new IngestEngine({
    protocols: [protocol],
    group,
    decompress: (body) => body,
    clock: systemClock,
  });
  const submit = (path: string) => {
    const request: IngestRequest = {
      protocol: 'test',
      listener: 'test',
      tenant: 'default',
      method: 'POST',
      path,
      query: '',
      headers: {},
      body: new Uint8Array(0),
      maxBodyBytes: 100,
    };
    return engine.submit(request);
  };
  return { submit, written };
}

it('forgets the events of a refused or failed batch, and counts the refused ones', async () => {
  const { submit, written } = setup();
  expect(await submit('/refuse')).toEqual({
    reply: { status: 200, headers: {}, body: '/refuse' },
    received: 2,
    stored: 0,
    deduplicated: 0,
    rejected: { ingest_event_too_large: 2 },
  });
  expect(await submit('/fail')).toMatchObject({
    reply: { status: 400, body: 'ingest_malformed_body' },
    received: 0,
    requestError: 'ingest_malformed_body',
  });
  expect(written).toEqual([]);
  expect(await submit('/store')).toMatchObject({ received: 1, stored: 1, deduplicated: 0 });
  expect(await submit('/store')).toMatchObject({ received: 1, stored: 0, deduplicated: 1 });
  expect(written).toEqual([1]);
});
