import { NodeError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import { TokenSet } from '../../govern/index.ts';
import { bodyTooLarge, tooManyBytesInFlight } from './body-reader.ts';
import type { InflightBudget, InflightReservation } from './inflight-budget.ts';
import type { IngestPort } from './ingest-port.ts';

export interface RequestGateOptions {
  readonly port: IngestPort;
  readonly budget: InflightBudget;
  /** Empty: no authentication. */
  readonly tokens: readonly Secret[];
}

/** Decides on a request by its head alone, before a byte of its body is read. One per listener. */
export class RequestGate {
  readonly #port: IngestPort;
  readonly #budget: InflightBudget;
  readonly #tokens: TokenSet;
  readonly needsToken: boolean;
  #isDraining = false;

  constructor(options: RequestGateOptions) {
    this.#port = options.port;
    this.#budget = options.budget;
    this.#tokens = new TokenSet(options.tokens);
    this.needsToken = options.tokens.length > 0;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isAccepting(): boolean {
    return !this.#isDraining && this.#port.isAccepting();
  }

  /** From now on every request is refused with `ingest_backpressure`. */
  drain(): void {
    this.#isDraining = true;
  }

  /** @throws NodeError `auth_unauthenticated` unless one of the secrets is a token, or no token is needed */
  authenticate(secrets: readonly string[]): void {
    if (!this.needsToken || secrets.some((secret) => this.#tokens.has(secret))) return;
    throw new NodeError('auth_unauthenticated', 'missing or invalid credentials for this listener');
  }

  /**
   * Takes the share of a body in the budget; its caller releases it. `bodyBytes` is undefined when the length
   * is not known yet. @throws NodeError `request_body_too_large`, `ingest_backpressure`
   */
  admit(bodyBytes: number | undefined, maxBodyBytes: number): InflightReservation {
    const limitBytes = Math.min(maxBodyBytes, this.#budget.limitBytes);
    if (bodyBytes !== undefined && bodyBytes > limitBytes) throw bodyTooLarge(limitBytes);
    if (this.#isDraining) throw new NodeError('ingest_backpressure', 'the node is stopping; retry');
    if (!this.#port.isAccepting()) {
      throw new NodeError(
        'ingest_backpressure',
        'too much received data is not yet published; retry',
      );
    }
    const reservation = this.#budget.open();
    if (!reservation.grow(bodyBytes ?? 0)) throw tooManyBytesInFlight(this.#budget.limitBytes);
    return reservation;
  }
}
