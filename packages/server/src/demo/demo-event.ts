export type Severity = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'FATAL';

/** Severity numbers of the OpenTelemetry log data model. */
export const severityNumbers: Readonly<Record<Severity, number>> = {
  DEBUG: 5,
  INFO: 9,
  WARN: 13,
  ERROR: 17,
  FATAL: 21,
};

/** One running copy of a service: what all its events have in common. */
export interface DemoResource {
  readonly service: string;
  readonly version: string;
  readonly host: string;
  readonly pod: string;
  readonly namespace: string;
  readonly env: string;
  readonly region: string;
}

export type AttributeValue = string | number | boolean;
export type JsonBody = { readonly [key: string]: AttributeValue | JsonBody };

/** An event before any protocol: the transports turn it into their own shape. */
export interface DemoEvent {
  /** Stable: the same seed, rate and time give the same id, so sending it twice stores it once. */
  readonly id: string;
  readonly timeMs: number;
  /** Nanoseconds below the millisecond, 0..999999. */
  readonly nanos: number;
  readonly resource: DemoResource;
  readonly severity: Severity;
  readonly body: string | JsonBody;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly traceId?: string;
  readonly spanId?: string;
}

/** Nanoseconds since the epoch in decimal digits. */
export function timeUnixNano(event: DemoEvent): string {
  return `${event.timeMs}${String(event.nanos).padStart(6, '0')}`;
}
