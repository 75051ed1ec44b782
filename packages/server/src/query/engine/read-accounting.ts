import { readFileSync } from 'node:fs';

interface Account {
  readonly weight: number;
  bytes: number;
}

/**
 * Bytes each running query reads. The engine does not count the column data it reads from Parquet, so this takes
 * what the system counts for the whole process and shares it out: every stretch of time between two starts or
 * ends goes to the queries running in it, by weight. A query that ran alone gets exactly its own bytes.
 */
export class ReadAccounting {
  readonly #running = new Map<number, Account>();
  readonly #readTotal: () => number | undefined;
  #lastTotal: number | undefined;

  constructor(readTotal: () => number | undefined = processReadBytes()) {
    this.#readTotal = readTotal;
    this.#lastTotal = readTotal();
  }

  start(id: number, weight: number): void {
    this.#settle();
    this.#running.set(id, { weight: Math.max(1, weight), bytes: 0 });
  }

  /** Undefined where the system does not count. */
  end(id: number): number | undefined {
    this.#settle();
    const account = this.#running.get(id);
    this.#running.delete(id);
    return this.#lastTotal === undefined || account === undefined
      ? undefined
      : Math.round(account.bytes);
  }

  #settle(): void {
    const total = this.#readTotal();
    if (total !== undefined && this.#lastTotal !== undefined && this.#running.size > 0) {
      const accounts = [...this.#running.values()];
      const weights = accounts.reduce((sum, { weight }) => sum + weight, 0);
      for (const account of accounts) {
        account.bytes += ((total - this.#lastTotal) * account.weight) / weights;
      }
    }
    this.#lastTotal = total;
  }
}

/** Each look at the counter is itself counted as a read of that many bytes. */
function processReadBytes(): () => number | undefined {
  let ownBytes = 0;
  return () => {
    try {
      const text = readFileSync('/proc/self/io', 'latin1');
      const digits = /^rchar: (\d+)/.exec(text)?.[1];
      const total = digits === undefined ? undefined : Number(digits) - ownBytes;
      ownBytes += text.length;
      return total;
    } catch {
      return undefined; // not Linux
    }
  };
}
