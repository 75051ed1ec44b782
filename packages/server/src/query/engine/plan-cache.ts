import type { PlannedSql } from './protocol.ts';

const maxEntries = 512;
const maxKeyLength = 16 * 1024;

/** Plans of statements seen lately. A plan depends on the statement and the caller's tables, not on any data. */
export class PlanCache {
  readonly #plans = new Map<string, PlannedSql>();

  get(key: string): PlannedSql | undefined {
    const plan = this.#plans.get(key);
    if (plan === undefined) return undefined;
    this.#plans.delete(key);
    this.#plans.set(key, plan);
    return plan;
  }

  set(key: string, plan: PlannedSql): void {
    if (plan.usesClock || key.length > maxKeyLength) return;
    this.#plans.set(key, plan);
    if (this.#plans.size <= maxEntries) return;
    const oldest = this.#plans.keys().next().value;
    if (oldest !== undefined) this.#plans.delete(oldest);
  }
}
