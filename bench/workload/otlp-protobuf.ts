// opentelemetry/proto/collector/logs/v1 and logs/v1.
import type { BenchEvent, EventGroup } from '../events.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  countEvents,
  emptyOffsets,
  type EncodedBatch,
  type Encoding,
  type OffsetLists,
} from './encoded-batch.ts';
import { requestIdDigits, traceIdBytes } from './stamp.ts';

const wireVarint = 0;
const wireFixed64 = 1;
const wireBytes = 2;

/** A message whose parts were stamped at offsets relative to its start. */
interface Message {
  readonly bytes: Uint8Array;
  readonly offsets: OffsetLists;
}

export const otlpProtobuf: Encoding = {
  name: 'otlp_protobuf',
  listener: 'otlp_http',
  path: '/v1/logs',
  contentType: 'application/x-protobuf',
  stampForm: { time: 'fixed64', traceId: 'bytes' },
  encode(groups): EncodedBatch {
    const writer = new ByteWriter();
    const offsets = emptyOffsets();
    for (const group of groups) embed(writer, offsets, { field: 1, message: resourceLogs(group) });
    return { body: writer.take(), events: countEvents(groups), offsets };
  },
};

function resourceLogs(group: EventGroup): Message {
  const resource = new ByteWriter();
  for (const pair of group.resource) lengthDelimited(resource, 1, keyValue(pair));
  const scopeLogs = new ByteWriter();
  const inner = emptyOffsets();
  for (const event of group.events)
    embed(scopeLogs, inner, { field: 2, message: logRecord(event) });
  const writer = new ByteWriter();
  const offsets = emptyOffsets();
  lengthDelimited(writer, 1, resource.take());
  embed(writer, offsets, { field: 2, message: { bytes: scopeLogs.take(), offsets: inner } });
  return { bytes: writer.take(), offsets };
}

function logRecord(event: BenchEvent): Message {
  const writer = new ByteWriter();
  const offsets = emptyOffsets();
  tag(writer, 1, wireFixed64);
  offsets.times.push(writer.gap(8));
  tag(writer, 2, wireVarint).varint(event.severityNumber);
  lengthDelimited(writer, 3, Buffer.from(event.severityText));
  const bodyBytes = event.bodyStart.length + requestIdDigits + event.bodyEnd.length;
  const text = new ByteWriter();
  tag(text, 1, wireBytes).varint(bodyBytes);
  tag(writer, 5, wireBytes).varint(text.length + bodyBytes);
  writer.raw(text.take()).text(event.bodyStart);
  offsets.requestIds.push(writer.gap(requestIdDigits));
  writer.text(event.bodyEnd);
  for (const pair of event.attributes) lengthDelimited(writer, 6, keyValue(pair));
  tag(writer, 9, wireBytes).varint(traceIdBytes);
  offsets.traceIds.push(writer.gap(traceIdBytes));
  return { bytes: writer.take(), offsets };
}

function keyValue([key, value]: readonly [string, string]): Uint8Array {
  const any = lengthDelimited(new ByteWriter(), 1, Buffer.from(value));
  const pair = lengthDelimited(new ByteWriter(), 1, Buffer.from(key));
  return lengthDelimited(pair, 2, any.take()).take();
}

function embed(
  writer: ByteWriter,
  offsets: OffsetLists,
  part: { field: number; message: Message },
): void {
  const { bytes, offsets: inner } = part.message;
  tag(writer, part.field, wireBytes).varint(bytes.length);
  const start = writer.length;
  writer.raw(bytes);
  for (const name of ['times', 'traceIds', 'requestIds'] as const) {
    for (const offset of inner[name]) offsets[name].push(start + offset);
  }
}

function lengthDelimited(writer: ByteWriter, field: number, bytes: Uint8Array): ByteWriter {
  return tag(writer, field, wireBytes).varint(bytes.length).raw(bytes);
}

function tag(writer: ByteWriter, field: number, wireType: number): ByteWriter {
  return writer.varint((field << 3) | wireType);
}
