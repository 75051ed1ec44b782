import { inspect } from 'node:util';

export type CheckOutcome =
  | { readonly state: 'passed' }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'skipped'; readonly reason: string };

export interface CheckResult {
  readonly group: string;
  readonly name: string;
  readonly outcome: CheckOutcome;
  readonly seconds: number;
}

/** Checks that belong together, mostly because they share a node. */
export interface CheckGroup {
  readonly name: string;
  /** Reports every check to the list. What it throws counts as a failure of its own. */
  run(checks: GroupChecks): Promise<void>;
}

/** What a group reports its checks to. */
export interface GroupChecks {
  /** True when the body ended without an error. A failure does not stop the group. */
  check(name: string, body: () => void | Promise<void>): Promise<boolean>;
  skip(name: string, reason: string): void;
}

/** Every check of a run with its outcome; nothing is reported twice, nothing is left out. */
export class CheckList {
  readonly #results: CheckResult[] = [];
  readonly #onResult: (result: CheckResult) => void;

  constructor(onResult: (result: CheckResult) => void) {
    this.#onResult = onResult;
  }

  get results(): readonly CheckResult[] {
    return this.#results;
  }

  async runGroup(group: CheckGroup): Promise<void> {
    const countBefore = this.#results.length;
    const startedMs = performance.now();
    try {
      await group.run(this.#checksOf(group.name));
      if (this.#results.length === countBefore) throw new Error('the group made no check');
    } catch (error) {
      this.#add(group.name, 'runs to its end', { outcome: failure(error), startedMs });
    }
  }

  #checksOf(group: string): GroupChecks {
    return {
      check: async (name, body) => {
        const startedMs = performance.now();
        let outcome: CheckOutcome = { state: 'passed' };
        try {
          await body();
        } catch (error) {
          outcome = failure(error);
        }
        this.#add(group, name, { outcome, startedMs });
        return outcome.state === 'passed';
      },
      skip: (name, reason) => {
        this.#add(group, name, {
          outcome: { state: 'skipped', reason },
          startedMs: performance.now(),
        });
      },
    };
  }

  #add(
    group: string,
    name: string,
    { outcome, startedMs }: { outcome: CheckOutcome; startedMs: number },
  ): void {
    const result = { group, name, outcome, seconds: (performance.now() - startedMs) / 1000 };
    this.#results.push(result);
    this.#onResult(result);
  }
}

function failure(error: unknown): CheckOutcome {
  return { state: 'failed', reason: reasonOf(error) };
}

/** An error on the way out must not hide the one that led there. */
function reasonOf(error: unknown): string {
  if (error instanceof SuppressedError) {
    return `${reasonOf(error.suppressed)}\nand then: ${reasonOf(error.error)}`;
  }
  return error instanceof Error ? error.message : inspect(error);
}
