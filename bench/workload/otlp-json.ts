import type { BenchEvent, EventGroup } from '../events.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  countEvents,
  emptyOffsets,
  type EncodedBatch,
  type Encoding,
  type OffsetLists,
} from './encoded-batch.ts';
import { nanosecondDigits, requestIdDigits, traceIdBytes } from './stamp.ts';

export const otlpJson: Encoding = {
  name: 'otlp_json',
  listener: 'otlp_http',
  path: '/v1/logs',
  contentType: 'application/json',
  stampForm: { time: 'nanoseconds', traceId: 'hex' },
  encode(groups): EncodedBatch {
    const writer = new ByteWriter();
    const offsets = emptyOffsets();
    writer.text('{"resourceLogs":[');
    groups.forEach((group, index) => {
      if (index > 0) writer.text(',');
      writeGroup(writer, offsets, group);
    });
    writer.text(']}');
    return { body: writer.take(), events: countEvents(groups), offsets };
  },
};

function writeGroup(writer: ByteWriter, offsets: OffsetLists, group: EventGroup): void {
  writer.text(`{"resource":{"attributes":${pairs(group.resource)}},"scopeLogs":[{"logRecords":[`);
  group.events.forEach((event, index) => {
    if (index > 0) writer.text(',');
    writeEvent(writer, offsets, event);
  });
  writer.text(']}]}');
}

function writeEvent(writer: ByteWriter, offsets: OffsetLists, event: BenchEvent): void {
  writer.text('{"timeUnixNano":"');
  offsets.times.push(writer.gap(nanosecondDigits));
  writer.text(`","severityNumber":${event.severityNumber},"severityText":"${event.severityText}"`);
  writer.text(`,"body":{"stringValue":"${event.bodyStart}`);
  offsets.requestIds.push(writer.gap(requestIdDigits));
  writer.text(`${event.bodyEnd}"},"attributes":${pairs(event.attributes)},"traceId":"`);
  offsets.traceIds.push(writer.gap(traceIdBytes * 2));
  writer.text('"}');
}

function pairs(attributes: readonly (readonly [string, string])[]): string {
  return JSON.stringify(attributes.map(([key, stringValue]) => ({ key, value: { stringValue } })));
}
