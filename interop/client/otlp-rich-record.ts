import { ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  LoggerProvider,
  type LogRecordExporter,
  SimpleLogRecordProcessor,
} from '@opentelemetry/sdk-logs';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

const storedAttributes = {
  'deployment.environment.name': 'test',
  'host.name': 'host-1',
  'service.name': 'rich',
  'service.namespace': 'shop',
  'resource.both': 'of the resource',
  'otel.scope.name': 'interop.scope',
  'otel.scope.version': '2.1',
  event_name: 'order.placed',
  severity: 'ERROR',
  severity_number: '18',
  severity_text: 'ERROR2',
  trace_id: traceId,
  span_id: spanId,
  trace_flags: '1',
  text: 'ключ 値 🚀',
  empty: '',
  yes: 'true',
  whole: '42',
  negative: '-7',
  fraction: '0.1',
  list: '["a","b"]',
  mixed: '[1,"two",false,null]',
  'nested.deep.deeper': 'value',
  'nested.list': '[1]',
  bytes: 'AAH+/w==',
  both: 'of the record',
};

/**
 * Sends one record with everything a record may have, as service `rich`. Resolves with what must be stored:
 * time, service, body, host, env, namespace, tenant, attributes.
 */
export async function sendRichRecord(exporter: LogRecordExporter): Promise<readonly unknown[]> {
  const provider = new LoggerProvider({
    resource: resourceFromAttributes({
      'service.name': 'rich',
      'service.namespace': 'shop',
      'host.name': 'host-1',
      'deployment.environment.name': 'test',
      both: 'of the resource',
    }),
    processors: [new SimpleLogRecordProcessor({ exporter })],
  });
  const context = trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
  });
  provider.getLogger('interop.scope', '2.1').emit({
    timestamp: [1_709_243_999, 123_456_789],
    body: { message: 'structured', nested: { list: [1, 'two'] } },
    eventName: 'order.placed',
    severityNumber: 18,
    severityText: 'ERROR2',
    context,
    attributes: {
      text: 'ключ 値 🚀',
      empty: '',
      yes: true,
      whole: 42,
      negative: -7,
      fraction: 0.1,
      list: ['a', 'b'],
      mixed: [1, 'two', false, null],
      nested: { deep: { deeper: 'value' }, list: [1] },
      bytes: new Uint8Array([0, 1, 254, 255]),
      both: 'of the record',
    },
  });
  await provider.shutdown();
  return [
    '1709243999123456789',
    'rich',
    '{"message":"structured","nested":{"list":[1,"two"]}}',
    'host-1',
    'test',
    'shop',
    'default',
    storedAttributes,
  ];
}
