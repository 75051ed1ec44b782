import { describe, expect, test } from 'vitest';
import { NodeError } from '../base/errors.ts';
import { silentLogger } from '../base/logger.ts';
import { DedupWindow } from './dedup/index.ts';
import { GroupCommit, type GroupBatch } from './group-commit.ts';

/** Texts in place of columns. */
class TextBatch implements GroupBatch {
  texts: string[] = [];

  get rows(): number {
    return this.texts.length;
  }

  get sizeBytes(): number {
    return this.texts.join('').length;
  }

  truncate(rows: number): void {
    this.texts.length = rows;
  }

  takeBatch(): { readonly pieces: readonly Uint8Array[]; readonly rows: number } {
    return { pieces: this.texts.map((text) => Buffer.from(text)), rows: this.rows };
  }
}

/** A log whose syncs end when the test says so. */
class HeldLog {
  readonly records: string[] = [];
  #pending: { resolve: () => void; reject: (error: unknown) => void } | undefined;

  append(pieces: readonly Uint8Array[]): Promise<void> {
    this.records.push(Buffer.concat(pieces).toString());
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
  }

  async finish(error?: unknown): Promise<void> {
    while (this.#pending === undefined) await turn();
    const { resolve, reject } = this.#pending;
    this.#pending = undefined;
    if (error === undefined) resolve();
    else reject(error);
    await turn();
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function setup(): {
  log: HeldLog;
  window: DedupWindow;
  commit: GroupCommit<TextBatch>;
  send: (...texts: string[]) => Promise<number>;
} {
  const log = new HeldLog();
  const window = new DedupWindow({ windowEvents: 100, seed: Uint32Array.of(1, 2, 3, 4) });
  const batches = [new TextBatch(), new TextBatch()] as const;
  const commit = new GroupCommit({
    batches,
    log,
    dedup: window,
    logger: silentLogger,
    groupMaxBytes: 8,
  });
  const none = { start: 0, end: 0 };
  const send = (...texts: string[]): Promise<number> =>
    commit.admit((batch) => {
      let stored = 0;
      for (const text of texts) {
        if (text === 'malformed') throw new NodeError('ingest_malformed_body', 'correct the body');
        const bytes = Buffer.from(text);
        if (!window.insert(bytes, none, bytes, { start: 0, end: bytes.length })) continue;
        batch.texts.push(text);
        stored += 1;
      }
      return stored;
    });
  return { log, window, commit, send };
}

const diskFull = new NodeError('wal_write_failed', 'the disk is full');

describe('GroupCommit', () => {
  test('writes the requests that arrive during a sync as one record after it', async () => {
    const { log, send } = setup();
    const first = send('a');
    await turn();
    const others = [send('b'), send('c', 'd')];
    await log.finish();
    expect(await first).toBe(1);
    await log.finish();
    expect(await Promise.all(others)).toEqual([1, 2]);
    expect(log.records).toEqual(['a', 'bcd']);
  });

  test('acknowledges a duplicate only after the group of its first copy is durable', async () => {
    const { log, send } = setup();
    const first = send('a');
    await turn();
    let isAnswered = false;
    const duplicate = send('a').then((stored) => {
      isAnswered = true;
      return stored;
    });
    await turn();
    await turn();
    expect(isAnswered).toBe(false);
    await log.finish();
    expect(await Promise.all([first, duplicate])).toEqual([1, 0]);
    expect(log.records).toEqual(['a']);
  });

  test('fails a duplicate with the first copy it relied on, and stores both when they are repeated', async () => {
    const { log, send, window } = setup();
    const outcomes = Promise.allSettled([send('a'), turn().then(() => send('a', 'b'))]);
    await turn();
    await turn();
    await log.finish(diskFull);
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    expect(window.size).toBe(0);
    const again = send('a', 'b');
    await log.finish();
    expect(await again).toBe(2);
    expect(log.records).toEqual(['a', 'ab']);
  });

  test('leaves nothing of a malformed request between two good ones', async () => {
    const { log, send, window } = setup();
    const first = send('a');
    await expect(send('x', 'y', 'malformed')).rejects.toMatchObject({
      code: 'ingest_malformed_body',
    });
    const last = send('x');
    await log.finish();
    expect(await Promise.all([first, last])).toEqual([1, 1]);
    expect(log.records).toEqual(['ax']);
    expect(window.size).toBe(2);
  });

  test('takes no request into a full group before the group before it is durable', async () => {
    const { log, send, commit } = setup();
    const all = [send('a')];
    await turn();
    all.push(send('12345678'), send('b'));
    await log.finish();
    expect(log.records).toEqual(['a', '12345678']);
    await log.finish();
    await log.finish();
    expect(log.records).toEqual(['a', '12345678', 'b']);
    await Promise.all(all);
    await commit.drain();
  });

  test('accepts nothing more after a fault that is not the disk’s', async () => {
    const { log, send } = setup();
    const fault = new RangeError('a bug');
    const first = send('a');
    await Promise.all([expect(first).rejects.toBe(fault), log.finish(fault)]);
    await expect(send('b')).rejects.toBe(fault);
    expect(log.records).toEqual(['a']);
  });
});
