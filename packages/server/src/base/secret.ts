import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/**
 * A configured secret. However it is printed (template, JSON, log, inspector) it shows `[redacted]`;
 * only `reveal()` gives the value, so every use is easy to find.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
