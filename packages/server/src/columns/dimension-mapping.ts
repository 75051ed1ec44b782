import { hashBytes, equalBytes } from './byte-hash.ts';

/** Columns that are filled from attributes when the protocol does not name them itself. */
export const dimensionNames = ['service', 'host', 'env', 'namespace'] as const;
export type DimensionName = (typeof dimensionNames)[number];

/** Attribute names that feed each dimension, most wanted first (`ingest.dimensions`). */
export type DimensionSources = Readonly<Record<DimensionName, readonly string[]>>;

export const defaultDimensionSources: DimensionSources = {
  service: ['service.name'],
  host: ['host.name', 'k8s.node.name', 'host', 'hostname'],
  env: ['deployment.environment.name', 'deployment.environment', 'env', 'environment'],
  namespace: ['k8s.namespace.name', 'service.namespace', 'namespace'],
};

export interface DimensionSource {
  readonly dimension: number;
  /** 0 is the most wanted. */
  readonly rank: number;
  readonly key: Uint8Array;
}

/** Finds the dimension that an attribute name feeds, by the hash the builder has computed anyway. */
export class DimensionMapping {
  readonly #sources = new Map<number, DimensionSource[]>();
  /** One bit per low byte of a hash: most attribute names are turned away without a map lookup. */
  readonly #filter = new Uint8Array(256);

  constructor(sources: DimensionSources = defaultDimensionSources) {
    const encoder = new TextEncoder();
    dimensionNames.forEach((name, dimension) => {
      sources[name].forEach((text, rank) => {
        const key = encoder.encode(text);
        const hash = hashBytes(key, 0, key.length);
        this.#filter[hash & 255] = 1;
        this.#sources.set(hash, [...(this.#sources.get(hash) ?? []), { dimension, rank, key }]);
      });
    });
  }

  find(hash: number, bytes: Uint8Array, start: number, end: number): DimensionSource | undefined {
    if (this.#filter[hash & 255] === 0) return undefined;
    const candidates = this.#sources.get(hash);
    return candidates?.find(
      ({ key }) =>
        key.length === end - start && equalBytes(bytes, start, key, { start: 0, end: key.length }),
    );
  }
}
