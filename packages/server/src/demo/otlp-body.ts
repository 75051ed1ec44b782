import {
  severityNumbers,
  timeUnixNano,
  type AttributeValue,
  type DemoEvent,
  type DemoResource,
  type JsonBody,
} from './demo-event.ts';

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly kvlistValue: { readonly values: readonly KeyValue[] } };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** An OTLP/HTTP JSON export request (OTLP 1.11, JSON encoding), one resource entry per running copy. */
export function encodeOtlpBody(events: readonly DemoEvent[]): string {
  const byResource = new Map<DemoResource, DemoEvent[]>();
  for (const event of events) {
    const group = byResource.get(event.resource);
    if (group === undefined) byResource.set(event.resource, [event]);
    else group.push(event);
  }
  return JSON.stringify({
    resourceLogs: Array.from(byResource, ([resource, group]) => ({
      resource: { attributes: resourceAttributes(resource) },
      scopeLogs: [{ scope: { name: 'varve-demo' }, logRecords: group.map(logRecord) }],
    })),
  });
}

function resourceAttributes(resource: DemoResource): KeyValue[] {
  return keyValues({
    'service.name': resource.service,
    'service.version': resource.version,
    'host.name': resource.host,
    'k8s.pod.name': resource.pod,
    'k8s.namespace.name': resource.namespace,
    'deployment.environment.name': resource.env,
  });
}

function logRecord(event: DemoEvent): object {
  return {
    timeUnixNano: timeUnixNano(event),
    severityNumber: severityNumbers[event.severity],
    severityText: event.severity,
    body: anyValue(event.body),
    attributes: [
      ...keyValues(event.attributes),
      { key: 'log.record.uid', value: { stringValue: event.id } },
    ],
    ...(event.traceId === undefined ? {} : { traceId: event.traceId }),
    ...(event.spanId === undefined ? {} : { spanId: event.spanId }),
  };
}

function keyValues(record: JsonBody): KeyValue[] {
  return Object.entries(record).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: AttributeValue | JsonBody): AnyValue {
  switch (typeof value) {
    case 'string':
      return { stringValue: value };
    case 'boolean':
      return { boolValue: value };
    case 'number':
      return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    default:
      return { kvlistValue: { values: keyValues(value) } };
  }
}
