/**
 * Coalesces requests to make everything acknowledged so far visible. Any number of callers that arrive while a
 * round is under way share the next one: a round that began before a caller arrived may miss what the caller
 * was acknowledged.
 */
export class Freshness {
  readonly #refresh: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(refresh: () => Promise<void>) {
    this.#refresh = refresh;
  }

  ensure(): Promise<void> {
    if (this.#running === undefined) return this.#begin();
    this.#next ??= this.#running.then(
      () => this.#beginNext(),
      () => this.#beginNext(),
    );
    return this.#next;
  }

  #beginNext(): Promise<void> {
    this.#next = undefined;
    return this.#begin();
  }

  #begin(): Promise<void> {
    const round = this.#refresh().finally(() => {
      if (this.#running === round) this.#running = undefined;
    });
    this.#running = round;
    return round;
  }
}
