import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { CrashTarget, RunningTarget } from '../../packages/server/test/crash/harness.ts';
import { RunningNode, type StartOptions } from '../suite/running-node.ts';
import { bodySql, type RequestKind, requestKinds } from './requests.ts';

const ledgerIntervalMs = 100;
/** Every so many starts, one is killed at a random moment before it. */
const startsPerKilledStart = 4;
const killedStartMaxMs = 1500;

/** The whole node, over its ports. Short intervals, so that a kill may hit the log, a seal or a publish. */
export class NodeTarget implements CrashTarget {
  readonly #options: StartOptions;
  readonly #stableIds = new Set<string>();
  #starts = 0;

  constructor(directory: string) {
    const settings = { 'storage.seal_interval_ms': 50, 'storage.publish_interval_seconds': 1 };
    this.#options = { directory, settings };
  }

  async start(): Promise<RunningTarget> {
    this.#starts += 1;
    if (this.#starts % startsPerKilledStart === 0) {
      await RunningNode.startAndKill(this.#options, Math.random() * killedStartMaxMs);
    }
    return new KillableNode(await RunningNode.start(this.#options), this.#stableIds);
  }

  async readStored(): Promise<string[]> {
    await using node = await RunningNode.start(this.#options);
    const ids = `SELECT attributes['crash_id'] AS id, body FROM raw_events`;
    const damaged = await node.sql.scalar(
      `SELECT count(*) FROM (${ids}) WHERE body IS DISTINCT FROM ${bodySql}`,
    );
    assert.equal(damaged, 0, 'events with another body than was sent');
    const stored: string[] = [];
    for await (const { id } of node.sql.stream<{ id: string }>(ids)) stored.push(id);
    assert.equal(await node.stop(), 0);
    return stored;
  }

  /** Whether it went out with an id by which the node can tell a repetition. */
  hasStableId(id: string): boolean {
    return this.#stableIds.has(id);
  }
}

class KillableNode implements RunningTarget {
  readonly #node: RunningNode;
  readonly #stableIds: Set<string>;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #watching: Promise<void>;
  #isEnding = false;

  constructor(node: RunningNode, stableIds: Set<string>) {
    this.#node = node;
    this.#stableIds = stableIds;
    this.#watching = this.#watchLedger();
    // Thrown where the round ends.
    this.#watching.catch(() => undefined);
  }

  async send(ids: readonly string[]): Promise<boolean> {
    // The same ids go out in the same way again, when no answer came.
    const number = Number((ids[0] ?? '').replace(/\D/g, ''));
    const kind = requestKinds[number % requestKinds.length];
    assert.ok(kind !== undefined);
    if (kind.hasStableIds) for (const id of ids) this.#stableIds.add(id);
    const answer = await this.#post(kind, kind.encode(ids)).catch(() => undefined);
    return answer !== undefined && kind.isStored(answer);
  }

  async kill(): Promise<void> {
    this.#isEnding = true;
    await this.#node.kill();
    this.#agent.destroy();
    await this.#watching;
  }

  /** The body of a 200; undefined for every other status. */
  #post(kind: RequestKind, body: string): Promise<string | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    const outgoing = request(`http://${this.#node.address(kind.listener)}${kind.path}`, {
      method: 'POST',
      agent: this.#agent,
      headers: { 'content-type': kind.contentType, 'content-length': Buffer.byteLength(body) },
    });
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        resolve(answer.statusCode === 200 ? Buffer.concat(chunks).toString() : undefined);
      });
      answer.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
    return promise;
  }

  /** Every count that was ever shown must add up. */
  async #watchLedger(): Promise<void> {
    while (!this.#isEnding) {
      const health = await this.#node.sql.health().catch(() => undefined);
      for (const listener of health?.ingest.listeners ?? []) {
        const { name, received, stored, deduplicated, rejected } = listener;
        const shown = `${name}: ${received} received, ${stored} stored, ${deduplicated} deduplicated, ${rejected} rejected`;
        assert.equal(received, stored + deduplicated + rejected, shown);
      }
      await delay(ledgerIntervalMs);
    }
  }
}
