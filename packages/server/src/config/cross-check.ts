import { findPortConflicts } from './listeners.ts';
import { isOptionPath, type OptionPath } from './options.ts';
import type { ConfigProblem, Origin } from './problem.ts';
import type { EffectiveOption } from './validate.ts';

/** Contradictions between options that are each valid alone. */
export function crossCheck(
  effective: ReadonlyMap<OptionPath, EffectiveOption>,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [...findPortConflicts(effective)];
  const valueOf = (path: OptionPath): unknown => effective.get(path)?.value;
  const report = (key: OptionPath, message: string): void => {
    const origin: Origin = effective.get(key)?.origin ?? { kind: 'default' };
    problems.push({ key, message, origin });
  };

  const retentionDays = valueOf('storage.retention_window_days');
  const floorDays = valueOf('retention.min_window_days');
  if (
    typeof retentionDays === 'number' &&
    typeof floorDays === 'number' &&
    retentionDays < floorDays
  ) {
    report(
      'storage.retention_window_days',
      `${retentionDays} days would delete data sooner than the floor retention.min_window_days of ${floorDays} days`,
    );
  }

  for (const path of effective.keys()) {
    const pair = tlsPair(path);
    if (pair !== undefined && valueOf(path) !== undefined && valueOf(pair) === undefined) {
      report(path, `needs ${pair} as well`);
    }
  }

  if (valueOf('server.listen') === 'off') {
    report(
      'server.listen',
      'the API cannot be off; bind it to 127.0.0.1:0 to keep it to this machine',
    );
  }

  const maxEventBytes = valueOf('ingest.max_event_bytes');
  const maxInflightBytes = valueOf('ingest.max_inflight_bytes');
  if (
    typeof maxEventBytes === 'number' &&
    typeof maxInflightBytes === 'number' &&
    maxEventBytes > maxInflightBytes
  ) {
    report(
      'ingest.max_event_bytes',
      'is above ingest.max_inflight_bytes, so an event of that size could never be taken',
    );
  }
  return problems;
}

/** The other one of a certificate and its key. */
function tlsPair(path: OptionPath): OptionPath | undefined {
  const pair = path.endsWith('.tls.cert_file')
    ? path.replace(/cert_file$/, 'key_file')
    : path.replace(/\.tls\.key_file$/, '.tls.cert_file');
  return pair !== path && isOptionPath(pair) ? pair : undefined;
}
