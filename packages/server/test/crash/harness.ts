/**
 * Kills a program again and again while clients send to it, and compares what it stored with what it acknowledged.
 * Knows nothing of the program but the interface below, so the same rounds run against a writer loop or a whole node.
 */
import { RandomSource } from '../fixture/simulated-disk.ts';

export interface CrashTarget {
  /** Starts the program on its data directory and resolves once it accepts events. */
  start(): Promise<RunningTarget>;
  /** The ids of all stored events, with repetitions. Called while the program is not running. */
  readStored(): Promise<string[]>;
}

export interface RunningTarget {
  /** Sends one request with an event per id; false when it was refused or no answer came. */
  send(ids: readonly string[]): Promise<boolean>;
  /** SIGKILL, resolving when the process is gone; every `send` without an answer then resolves with false. */
  kill(): Promise<void>;
}

export interface CrashOptions {
  readonly target: CrashTarget;
  readonly rounds: number;
  readonly seed: number;
  readonly clients: number;
  /** A round lasts a random time up to this. */
  readonly roundMaxMs: number;
  readonly onRound?: (round: number) => void;
}

export interface CrashReport {
  readonly sent: number;
  readonly acknowledged: number;
  readonly stored: number;
  /** Acknowledged and not stored. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Stored although nobody sent it. */
  readonly unknown: readonly string[];
}

interface Client {
  /** What was sent and not acknowledged; sent again, under the same ids, until it is. */
  pending: readonly string[] | undefined;
}

export async function runCrashRounds(options: CrashOptions): Promise<CrashReport> {
  const random = new RandomSource(options.seed);
  const ledger = new CrashLedger();
  const clients: Client[] = Array.from({ length: options.clients }, () => ({ pending: undefined }));
  for (let round = 0; round < options.rounds; round += 1) {
    const running = await options.target.start();
    let isOver = false;
    const loops = clients.map(async (client) => {
      while (!isOver) await sendOnce(client, { running, ledger, random });
    });
    await new Promise((resolve) => setTimeout(resolve, random.below(options.roundMaxMs)));
    isOver = true;
    await running.kill();
    await Promise.all(loops);
    options.onRound?.(round);
  }
  return ledger.compare(await options.target.readStored());
}

async function sendOnce(
  client: Client,
  round: { running: RunningTarget; ledger: CrashLedger; random: RandomSource },
): Promise<void> {
  client.pending ??= round.ledger.newIds(1 + round.random.below(20));
  const ids = client.pending;
  if (await round.running.send(ids)) {
    round.ledger.acknowledge(ids);
    client.pending = undefined;
  } else {
    // A refusal may be answered at once; give the program its turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

class CrashLedger {
  readonly #sent = new Set<string>();
  readonly #acknowledged = new Set<string>();

  newIds(count: number): string[] {
    const ids = Array.from({ length: count }, (_, index) => `event-${this.#sent.size + index}`);
    for (const id of ids) this.#sent.add(id);
    return ids;
  }

  acknowledge(ids: readonly string[]): void {
    for (const id of ids) this.#acknowledged.add(id);
  }

  compare(stored: readonly string[]): CrashReport {
    const seen = new Set<string>();
    const doubled = stored.filter((id) => {
      if (seen.has(id)) return true;
      seen.add(id);
      return false;
    });
    return {
      sent: this.#sent.size,
      acknowledged: this.#acknowledged.size,
      stored: stored.length,
      lost: [...this.#acknowledged].filter((id) => !seen.has(id)),
      doubled,
      unknown: [...seen].filter((id) => !this.#sent.has(id)),
    };
  }
}
