/**
 * Mutual exclusion between processes that share a directory, for critical sections of a few system calls.
 *
 * What it holds: one directory of symbolic links named by a generation number, each pointing at a text that
 * names its owner. A link is created atomically, exclusively and with its text in one call.
 * Who writes it: whoever takes the lock. The highest number decides: `7` is held by its owner, `7.free` is free.
 * Ordering: the lock is taken by creating the number after the highest one, released by renaming `n` to `n.free`.
 * Crash: a held number stays. Anyone who sees that its owner is gone creates the next number; exactly one
 * of them wins, and nothing has to be removed first, so a fresh lock can never be swept away by a slow rival.
 * Size: numbers more than `KEPT_GENERATIONS` old are removed by the next owner. Keeping some is what makes the
 * re-read after the creation reliable: a slow rival that re-creates a removed number still sees a higher one.
 *
 * An owner counts as gone when its process no longer runs on this host, or when the lock is older than
 * `STALE_AFTER_MS`. The second rule is needed for other hosts and other process namespaces; to stay on the
 * safe side of it an owner calls `assertHeld` before its decisive system call.
 */
import { lstatSync, readdirSync, readlinkSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import { isErrorCode, isProcessGone } from './file-system.ts';

const KEPT_GENERATIONS = 16;
const STALE_AFTER_MS = 30_000;
const HELD_LIMIT_MS = 10_000;
const WAIT_LIMIT_MS = 60_000;

interface Generation {
  readonly number: number;
  readonly isFree: boolean;
  readonly name: string;
}

export interface HeldLock {
  /** Throws when so much time has passed that another process may have taken the lock over. */
  assertHeld(): void;
}

export class DirectoryLock {
  readonly #directory: string;
  readonly #clock: Clock;

  private constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  static async open(directory: string, clock: Clock): Promise<DirectoryLock> {
    await mkdir(directory, { recursive: true });
    return new DirectoryLock(directory, clock);
  }

  /** Runs a synchronous section while no other process or thread runs one on the same directory. */
  async run<T>(section: (lock: HeldLock) => T): Promise<T> {
    const { generation, takenAtMs } = await this.#acquire();
    try {
      return section({ assertHeld: () => this.#assertHeld(takenAtMs) });
    } finally {
      this.#release(generation);
    }
  }

  async #acquire(): Promise<{ generation: number; takenAtMs: number }> {
    const startedAtMs = this.#clock.monotonicMs();
    for (;;) {
      const takenAtMs = this.#clock.monotonicMs();
      const generation = this.#tryTake();
      if (generation !== undefined) return { generation, takenAtMs };
      if (takenAtMs - startedAtMs > WAIT_LIMIT_MS) {
        throw new NodeError('storage_unavailable', 'the bucket directory stayed locked', {
          internal: { directory: this.#directory },
        });
      }
      await this.#clock.sleep(1 + Math.random() * 8);
    }
  }

  #tryTake(): number | undefined {
    const seen = this.#generations();
    const highest = seen.at(-1);
    if (highest !== undefined && !highest.isFree && !this.#isStale(highest)) return undefined;
    const generation = (highest?.number ?? 0) + 1;
    const owner = JSON.stringify({ host: hostname(), pid: process.pid });
    try {
      symlinkSync(owner, this.#path(String(generation)));
    } catch (error) {
      if (isErrorCode(error, 'EEXIST')) return undefined;
      throw error;
    }
    // A listing may miss a name that is being renamed, so the number taken can be one that was used before.
    const isOutdated = this.#generations().some(
      ({ number, isFree }) => number > generation || (number === generation && isFree),
    );
    if (isOutdated) {
      this.#remove(String(generation));
      return undefined;
    }
    for (const old of seen) {
      if (old.number <= generation - KEPT_GENERATIONS) this.#remove(old.name);
    }
    return generation;
  }

  #generations(): Generation[] {
    const found: Generation[] = [];
    for (const name of readdirSync(this.#directory)) {
      const match = /^(\d+)(\.free)?$/.exec(name);
      if (match !== null) {
        found.push({ number: Number(match[1]), isFree: match[2] !== undefined, name });
      }
    }
    return found.sort((left, right) => left.number - right.number);
  }

  #isStale(held: Generation): boolean {
    try {
      const path = this.#path(held.name);
      if (this.#clock.nowMs() - lstatSync(path).ctimeMs > STALE_AFTER_MS) return true;
      const owner: unknown = JSON.parse(readlinkSync(path));
      return isGoneOwner(owner);
    } catch (error) {
      // Released between the listing and now: not stale, look again.
      if (isErrorCode(error, 'ENOENT') || error instanceof SyntaxError) return false;
      throw error;
    }
  }

  #assertHeld(takenAtMs: number): void {
    if (this.#clock.monotonicMs() - takenAtMs > HELD_LIMIT_MS) {
      throw new NodeError('storage_unavailable', 'the bucket directory answered too slowly', {
        internal: { directory: this.#directory },
      });
    }
  }

  #release(generation: number): void {
    try {
      renameSync(this.#path(String(generation)), this.#path(`${generation}.free`));
    } catch (error) {
      // Taken over as stale and cleaned up by a later owner.
      if (!isErrorCode(error, 'ENOENT')) throw error;
    }
  }

  #remove(name: string): void {
    try {
      unlinkSync(this.#path(name));
    } catch (error) {
      if (!isErrorCode(error, 'ENOENT')) throw error;
    }
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

function isGoneOwner(owner: unknown): boolean {
  return (
    typeof owner === 'object' &&
    owner !== null &&
    'host' in owner &&
    'pid' in owner &&
    owner.host === hostname() &&
    typeof owner.pid === 'number' &&
    isProcessGone(owner.pid)
  );
}
