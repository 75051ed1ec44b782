/**
 * Every failure the node reports, in one table: the HTTP status at the API port, whether the same request may
 * succeed later, and what it means. The reference page is generated from it; a test asserts each code is used.
 */
export interface ErrorCodeSpec {
  readonly status: number;
  readonly retryable: boolean;
  /** Title of the problem document. */
  readonly title: string;
  /** What the caller or the operator does about it. */
  readonly action: string;
}

const spec = (
  status: number,
  retryable: boolean,
  title: string,
  action: string,
): ErrorCodeSpec => ({
  status,
  retryable,
  title,
  action,
});

export const errorCodes = {
  // request
  request_malformed: spec(
    400,
    false,
    'Malformed request',
    'Correct the fields named in `errors` and send it again.',
  ),
  request_not_found: spec(404, false, 'Not found', 'Check the path or the id.'),
  request_method_not_allowed: spec(
    405,
    false,
    'Method not allowed',
    'Use one of the methods in the `Allow` header.',
  ),
  request_timeout: spec(
    408,
    true,
    'Request took too long',
    'Send the whole request sooner, or allow it more time.',
  ),
  request_body_too_large: spec(
    413,
    false,
    'Body too large',
    'Send smaller requests; the limit is in `limit_bytes`.',
  ),
  request_unsupported_media_type: spec(
    415,
    false,
    'Unsupported content type',
    'Send one of the content types named in the detail.',
  ),
  auth_unauthenticated: spec(
    401,
    false,
    'Missing or invalid credentials',
    'Send `Authorization: Bearer <token>`.',
  ),
  auth_forbidden: spec(
    403,
    false,
    'Not allowed',
    'Ask an administrator for a role that allows this.',
  ),
  // ingest
  ingest_malformed_body: spec(
    400,
    false,
    'Malformed body',
    'The body does not follow its protocol; the detail says where.',
  ),
  ingest_event_too_large: spec(
    400,
    false,
    'Event too large',
    'Split the event or raise `ingest.max_event_bytes`.',
  ),
  ingest_batch_too_large: spec(
    400,
    false,
    'Batch too large',
    'Send fewer events with large shared attributes in one request.',
  ),
  ingest_too_many_attributes: spec(
    400,
    false,
    'Too many attributes',
    'Send fewer attributes or raise `ingest.max_attrs_per_event`.',
  ),
  ingest_unsupported_action: spec(
    400,
    false,
    'Unsupported action',
    'Send events with `index` or `create`; stored events are never changed.',
  ),
  ingest_timestamp_out_of_range: spec(
    400,
    false,
    'Timestamp out of range',
    'Correct the clock of the sender or set `ingest.timestamp_action` to clamp.',
  ),
  ingest_incomplete_message: spec(
    400,
    false,
    'Incomplete message',
    'Chunks of the message were lost on the way, or its connection ended; send over TCP or HTTP.',
  ),
  ingest_backpressure: spec(
    503,
    true,
    'Ingest is at its limit',
    'Retry after the time in `Retry-After`.',
  ),
  // query
  sql_invalid: spec(400, false, 'Invalid SQL', 'Correct the statement; the detail says where.'),
  sql_not_allowed: spec(
    400,
    false,
    'SQL not allowed',
    'Use one SELECT over the tables you may read.',
  ),
  scan_limit_exceeded: spec(
    412,
    false,
    'Scan limit exceeded',
    'Narrow the query, raise the limit, or send `confirm: true`.',
  ),
  query_timeout: spec(
    503,
    true,
    'Query took too long',
    'Narrow the query or raise `max_scan_seconds`.',
  ),
  query_queue_timeout: spec(
    503,
    true,
    'Too many queries are running',
    'Retry after the time in `Retry-After`.',
  ),
  query_out_of_memory: spec(
    503,
    false,
    'Query needs too much memory',
    'Narrow the query or raise `query.memory_limit_bytes`.',
  ),
  query_engine_failed: spec(
    503,
    true,
    'The query engine stopped',
    'It has been restarted; run the query again.',
  ),
  // storage
  storage_unavailable: spec(
    503,
    true,
    'Object storage is unavailable',
    'Check the bucket and its credentials; the node retries by itself.',
  ),
  storage_unknown_outcome: spec(
    503,
    true,
    'Outcome of a write is unknown',
    'The node resolves it by reading back.',
  ),
  storage_object_missing: spec(
    500,
    false,
    'An object of the table is missing',
    'Run `varve table verify`.',
  ),
  storage_short_read: spec(
    500,
    false,
    'An object is shorter than its metadata says',
    'Run `varve table verify`.',
  ),
  storage_corrupt_table: spec(500, false, 'Table metadata is corrupt', 'Run `varve table verify`.'),
  wal_corrupt: spec(
    500,
    false,
    'The write-ahead log is damaged',
    'See the recovery page; acknowledged data was not skipped.',
  ),
  wal_write_failed: spec(
    503,
    true,
    'The write-ahead log cannot be written',
    'Check the space and health of the data volume.',
  ),
  storage_volume_failed: spec(
    503,
    true,
    'The data volume cannot be written',
    'Check the space and health of the data volume; the node retries by itself.',
  ),
  // node
  config_invalid: spec(
    500,
    false,
    'Invalid configuration',
    'Correct the keys listed and start again.',
  ),
  node_not_ready: spec(503, true, 'The node is not ready', 'Retry shortly.'),
  node_feature_not_configured: spec(
    503,
    false,
    'Feature not configured',
    'Enable it in the configuration; the detail names the key.',
  ),
  node_internal: spec(500, false, 'Internal error', 'Report it with the request id.'),
  storage_invalid_key: spec(
    500,
    false,
    'Unsafe object key',
    'Report it: the node never builds such a key.',
  ),
  storage_commit_conflict: spec(
    409,
    false,
    'The table changed meanwhile',
    'The job plans again on the current files.',
  ),
} as const satisfies Record<string, ErrorCodeSpec>;

export type ErrorCode = keyof typeof errorCodes;
