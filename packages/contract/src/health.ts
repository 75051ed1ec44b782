import { z } from 'zod';

export const healthStatus = z.enum(['ok', 'degraded', 'failing']);

/** Counts of events since the node started: received = stored + deduplicated + rejected. */
export const listenerHealth = z.object({
  name: z.string(),
  address: z.string(),
  accepting: z.boolean(),
  received: z.int(),
  stored: z.int(),
  deduplicated: z.int(),
  rejected: z.int(),
  rejected_by_reason: z.record(z.string(), z.int()),
  /** RFC 3339, or null before the first event. */
  last_event_at: z.string().nullable(),
});

/** Answer of `GET /v1/health`. */
export const health = z.object({
  status: healthStatus,
  version: z.string(),
  node_id: z.string(),
  uptime_seconds: z.number(),
  ingest: z.object({
    status: healthStatus,
    listeners: z.array(listenerHealth),
    inflight_bytes: z.int(),
    inflight_limit_bytes: z.int(),
    unpublished_bytes: z.int(),
    unpublished_limit_bytes: z.int(),
  }),
  storage: z.object({
    status: healthStatus,
    bucket: z.string(),
    table: z.object({
      /** Text, because snapshot ids use all 64 bits; null before the first commit. */
      snapshot_id: z.string().nullable(),
      files: z.int(),
      events: z.int(),
      bytes: z.int(),
      last_commit_at: z.string().nullable(),
    }),
    wal: z.object({ segments: z.int(), bytes: z.int() }),
    last_error: z.string().nullable(),
  }),
  query: z.object({ running: z.int(), queued: z.int() }),
});

export type HealthStatus = z.infer<typeof healthStatus>;
export type ListenerHealth = z.infer<typeof listenerHealth>;
export type Health = z.infer<typeof health>;
