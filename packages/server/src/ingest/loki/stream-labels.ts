import { NodeError } from '../../base/errors.ts';
import { type AttributeSink, FieldNames } from '../../codec/index.ts';
import { type EventLimits, SharedAttributes } from '../../columns/index.ts';
import { FieldSeverity, findLevelField, type SeverityMemo } from '../event-field/index.ts';
import { PairSetFingerprint } from './entry-key.ts';

/** Labels that name the service, most wanted first; the order in which Loki makes its own `service_name`. */
const serviceLabels = [
  'service_name',
  'service.name',
  'service',
  'app',
  'application',
  'app_name',
  'name',
  'app_kubernetes_io_name',
  'container',
  'container_name',
  'k8s_container_name',
  'component',
  'workload',
  'job',
  'k8s_job_name',
];
const serviceRanks = new FieldNames(
  Object.fromEntries(serviceLabels.map((name, index) => [name, index + 1])),
);
const noRank = serviceLabels.length + 1;

/** The labels of one stream, which all its entries share, and what they say about service and severity. */
export class StreamLabels implements AttributeSink {
  readonly attributes = new SharedAttributes();
  readonly fingerprint = new PairSetFingerprint();
  readonly #severity: FieldSeverity;
  #limits: EventLimits | undefined;
  #isFingerprinted = false;
  #serviceRank = noRank;
  /** Index of the label that names the service; only when `#serviceRank` says so. */
  #service = 0;
  /** A label `severity` that names a level: the severity of the events stands under this name. */
  withheldSeverity: Uint8Array | undefined;

  constructor(memo: SeverityMemo) {
    this.#severity = new FieldSeverity(memo);
  }

  get severity(): number {
    return this.#severity.severity;
  }

  get hasService(): boolean {
    return this.#serviceRank !== noRank;
  }

  get serviceStart(): number {
    return this.attributes.values.start(this.#service);
  }

  get serviceEnd(): number {
    return this.attributes.values.end(this.#service);
  }

  begin(limits: EventLimits, isFingerprinted: boolean): void {
    this.#limits = limits;
    this.#isFingerprinted = isFingerprinted;
    this.attributes.clear();
    this.fingerprint.clear();
    this.#severity.clear();
    this.#serviceRank = noRank;
    this.withheldSeverity = undefined;
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    this.#requireRoom();
    if (this.#isFingerprinted) {
      this.fingerprint.add(key, keyStart, keyEnd, value, valueStart, valueEnd);
    }
    const field = findLevelField(key, keyStart, keyEnd);
    if (field !== 0 && this.#severity.note(field, value, valueStart, valueEnd)) {
      this.withheldSeverity = value.slice(valueStart, valueEnd);
      return;
    }
    const { attributes } = this;
    attributes.add(key, keyStart, keyEnd, value, valueStart, valueEnd);
    if (valueStart === valueEnd) return;
    const rank = serviceRanks.find(key, keyStart, keyEnd);
    if (rank === 0 || rank >= this.#serviceRank) return;
    this.#serviceRank = rank;
    this.#service = attributes.count - 1;
  }

  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#requireRoom();
    this.attributes.addNull(key, keyStart, keyEnd);
  }

  /** Names of nested values are longer here than in the body, so the labels could outgrow it manyfold. */
  #requireRoom(): void {
    const limit = this.#limits?.maxAttributes ?? 0;
    if (this.attributes.count < limit) return;
    throw new NodeError(
      'ingest_too_many_attributes',
      `a stream has more than ${limit} labels; nothing of the batch was stored`,
      { details: { limit } },
    );
  }
}
