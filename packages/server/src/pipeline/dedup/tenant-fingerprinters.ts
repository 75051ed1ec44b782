import { Fingerprinter } from '../../codec/index.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * A fingerprinter per tenant. Its lanes start from the tenant's own fingerprint, so that one id of two tenants gives
 * two unrelated fingerprints. Keeps the tenant of the last call only: a batch has one.
 */
export class TenantFingerprinters {
  readonly #ofTenants: Fingerprinter;
  #tenant = new Uint8Array(0);
  #current: Fingerprinter;

  constructor(seed: Uint32Array) {
    this.#ofTenants = new Fingerprinter(seed);
    this.#current = this.#forTenant();
  }

  fingerprinterOf(tenant: Uint8Array, span: Span): Fingerprinter {
    if (!this.#isCurrent(tenant, span)) {
      this.#tenant = tenant.slice(span.start, span.end);
      this.#current = this.#forTenant();
    }
    return this.#current;
  }

  #forTenant(): Fingerprinter {
    this.#ofTenants.hash(this.#tenant, 0, this.#tenant.length);
    return new Fingerprinter(this.#ofTenants.words);
  }

  #isCurrent(tenant: Uint8Array, span: Span): boolean {
    const length = span.end - span.start;
    if (length !== this.#tenant.length) return false;
    for (let index = 0; index < length; index += 1) {
      if (tenant[span.start + index] !== this.#tenant[index]) return false;
    }
    return true;
  }
}
