import {
  asArray,
  asRecord,
  countField,
  optionalCount,
  optionalString,
  stringField,
  type JsonRecord,
} from './field.ts';
import type { JsonValue } from './lossless-json.ts';

export interface Scan {
  readonly boundBytes: number;
  readonly boundSeconds: number;
  readonly readBytes: number;
  readonly files: number;
}

export interface SqlAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly JsonValue[])[];
  readonly scan: Scan;
  readonly elapsedSeconds: number;
}

export function readSqlAnswer(json: JsonValue): SqlAnswer {
  const answer = asRecord(json, 'the body');
  const scan = asRecord(answer['scan'], 'scan');
  return {
    columns: asArray(answer['columns'], 'columns').map((column) =>
      stringField(asRecord(column, 'columns'), 'name'),
    ),
    rows: asArray(answer['rows'], 'rows').map((row) => asArray(row, 'rows')),
    scan: {
      boundBytes: countField(scan, 'bound_bytes'),
      boundSeconds: countField(scan, 'bound_seconds'),
      readBytes: countField(scan, 'read_bytes'),
      files: countField(scan, 'files'),
    },
    elapsedSeconds: countField(answer, 'elapsed_seconds'),
  };
}

export interface ScanLimit {
  readonly boundBytes: number;
  readonly boundSeconds: number;
  readonly limitBytes: number | undefined;
  readonly limitSeconds: number | undefined;
  /** Narrower queries that would pass. */
  readonly suggestions: readonly { readonly sql: string; readonly title: string }[];
}

/** A failure as the API tells it (RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly code: string | undefined;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  /** Only with 412. */
  readonly scanLimit: ScanLimit | undefined;
}

export function readProblem(status: number, json: JsonValue): Problem {
  const problem = asRecord(json, 'the body');
  return {
    status,
    code: optionalString(problem, 'code'),
    title: optionalString(problem, 'title') ?? `Status ${status}`,
    detail: optionalString(problem, 'detail') ?? '',
    requestId: optionalString(problem, 'request_id'),
    scanLimit: status === 412 && problem['bound'] !== undefined ? readLimit(problem) : undefined,
  };
}

function readLimit(problem: JsonRecord): ScanLimit {
  const bound = asRecord(problem['bound'], 'bound');
  const limit = asRecord(problem['limit'] ?? {}, 'limit');
  return {
    boundBytes: countField(bound, 'bytes'),
    boundSeconds: countField(bound, 'seconds'),
    limitBytes: optionalCount(limit, 'bytes'),
    limitSeconds: optionalCount(limit, 'seconds'),
    suggestions: asArray(problem['suggestions'] ?? [], 'suggestions').flatMap((each) => {
      if (typeof each === 'string') return [{ sql: each, title: 'Narrower query' }];
      const suggestion = asRecord(each, 'suggestions');
      const sql = optionalString(suggestion, 'sql');
      const title =
        optionalString(suggestion, 'title') ?? optionalString(suggestion, 'description');
      return sql === undefined ? [] : [{ sql, title: title ?? 'Narrower query' }];
    }),
  };
}

export interface ListenerHealth {
  readonly name: string;
  readonly address: string;
  readonly isAccepting: boolean;
  readonly received: number;
  readonly stored: number;
  readonly deduplicated: number;
  readonly rejected: number;
  readonly rejectedByReason: readonly (readonly [string, number])[];
  readonly lastEventAt: string | undefined;
}

export interface Health {
  readonly status: string;
  readonly version: string;
  readonly nodeId: string;
  readonly uptimeSeconds: number;
  readonly ingestStatus: string;
  readonly listeners: readonly ListenerHealth[];
  readonly inflightBytes: number;
  readonly inflightLimitBytes: number;
  readonly unpublishedBytes: number;
  readonly unpublishedLimitBytes: number;
  readonly storageStatus: string;
  readonly bucket: string;
  readonly tableFiles: number;
  readonly tableEvents: number;
  readonly tableBytes: number;
  readonly lastCommitAt: string | undefined;
  readonly walSegments: number;
  readonly walBytes: number;
  readonly storageError: string | undefined;
  readonly queriesRunning: number;
  readonly queriesQueued: number;
}

export function readHealth(json: JsonValue): Health {
  const health = asRecord(json, 'the body');
  const ingest = asRecord(health['ingest'], 'ingest');
  const storage = asRecord(health['storage'], 'storage');
  const table = asRecord(storage['table'], 'storage.table');
  const wal = asRecord(storage['wal'], 'storage.wal');
  const query = asRecord(health['query'], 'query');
  return {
    status: stringField(health, 'status'),
    version: stringField(health, 'version'),
    nodeId: stringField(health, 'node_id'),
    uptimeSeconds: countField(health, 'uptime_seconds'),
    ingestStatus: stringField(ingest, 'status'),
    listeners: asArray(ingest['listeners'], 'ingest.listeners').map((each) =>
      readListener(asRecord(each, 'ingest.listeners')),
    ),
    inflightBytes: countField(ingest, 'inflight_bytes'),
    inflightLimitBytes: countField(ingest, 'inflight_limit_bytes'),
    unpublishedBytes: countField(ingest, 'unpublished_bytes'),
    unpublishedLimitBytes: countField(ingest, 'unpublished_limit_bytes'),
    storageStatus: stringField(storage, 'status'),
    bucket: stringField(storage, 'bucket'),
    tableFiles: countField(table, 'files'),
    tableEvents: countField(table, 'events'),
    tableBytes: countField(table, 'bytes'),
    lastCommitAt: optionalString(table, 'last_commit_at'),
    walSegments: countField(wal, 'segments'),
    walBytes: countField(wal, 'bytes'),
    storageError: optionalString(storage, 'last_error'),
    queriesRunning: countField(query, 'running'),
    queriesQueued: countField(query, 'queued'),
  };
}

function readListener(listener: JsonRecord): ListenerHealth {
  const reasons = asRecord(listener['rejected_by_reason'] ?? {}, 'rejected_by_reason');
  return {
    name: stringField(listener, 'name'),
    address: stringField(listener, 'address'),
    isAccepting: listener['accepting'] === true,
    received: countField(listener, 'received'),
    stored: countField(listener, 'stored'),
    deduplicated: countField(listener, 'deduplicated'),
    rejected: countField(listener, 'rejected'),
    rejectedByReason: Object.keys(reasons).map((reason) => [reason, countField(reasons, reason)]),
    lastEventAt: optionalString(listener, 'last_event_at'),
  };
}
