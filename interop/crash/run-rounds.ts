import { runCrashRounds } from '../../packages/server/test/crash/harness.ts';
import { NodeTarget } from './node-target.ts';

export interface RoundsOptions {
  readonly directory: string;
  readonly rounds: number;
  readonly seed: number;
  readonly onRound?: (round: number) => void;
}

/** Counts of events; the lists hold ids. */
export interface RoundsReport {
  readonly rounds: number;
  readonly seed: number;
  readonly sent: number;
  readonly acknowledged: number;
  readonly stored: number;
  /** Acknowledged and not stored. */
  readonly lost: readonly string[];
  /** Stored more than once although they have stable ids. */
  readonly doubled: readonly string[];
  /** Stored although nobody sent them. */
  readonly unknown: readonly string[];
  /** Copies beyond the first of events without stable ids, which a repetition may make. */
  readonly copies: number;
}

/** Kills a whole node again and again while senders push to it; see `harness.ts`. */
export async function runRounds(options: RoundsOptions): Promise<RoundsReport> {
  const { directory, rounds, seed, onRound } = options;
  const target = new NodeTarget(directory);
  const report = await runCrashRounds({
    target,
    rounds,
    seed,
    clients: 8,
    roundMaxMs: 2000,
    ...(onRound === undefined ? {} : { onRound }),
  });
  const doubled = report.doubled.filter((id) => target.hasStableId(id));
  return { rounds, seed, ...report, doubled, copies: report.doubled.length - doubled.length };
}

export function isClean({ lost, doubled, unknown }: RoundsReport): boolean {
  return lost.length + doubled.length + unknown.length === 0;
}
