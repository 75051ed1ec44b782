import type { DemoEvent } from './demo-event.ts';

/** An Elasticsearch `_bulk` body in the shape a file shipper sends: ECS names, one `create` per event. */
export function encodeBulkBody(events: readonly DemoEvent[]): string {
  let body = '';
  for (const event of events) {
    const { resource } = event;
    const action = {
      create: { _index: `logs-${resource.service}-${resource.env}`, _id: event.id },
    };
    const document = {
      '@timestamp': isoWithNanos(event),
      message: typeof event.body === 'string' ? event.body : JSON.stringify(event.body),
      'log.level': event.severity.toLowerCase(),
      'service.name': resource.service,
      'service.version': resource.version,
      'host.name': resource.host,
      'k8s.pod.name': resource.pod,
      'k8s.namespace.name': resource.namespace,
      'deployment.environment.name': resource.env,
      ...(event.traceId === undefined ? {} : { trace_id: event.traceId }),
      ...(event.spanId === undefined ? {} : { span_id: event.spanId }),
      ...event.attributes,
    };
    body += `${JSON.stringify(action)}\n${JSON.stringify(document)}\n`;
  }
  return body;
}

function isoWithNanos(event: DemoEvent): string {
  const iso = new Date(event.timeMs).toISOString();
  return `${iso.slice(0, -1)}${String(event.nanos).padStart(6, '0')}Z`;
}
