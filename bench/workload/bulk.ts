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

/** `2026-01-31T12:00:00`, then a point, nanoseconds and `Z`. */
const isoSecondsLength = 19;
const nanoDigits = 9;

export const bulk: Encoding = {
  name: 'bulk',
  listener: 'bulk',
  path: '/shop-logs/_bulk',
  contentType: 'application/x-ndjson',
  stampForm: { time: 'iso', traceId: 'hex' },
  encode(groups): EncodedBatch {
    const writer = new ByteWriter();
    const offsets = emptyOffsets();
    for (const group of groups) {
      for (const event of group.events) {
        writer.text('{"create":{}}\n');
        writeDocument(writer, offsets, { event, group });
      }
    }
    return { body: writer.take(), events: countEvents(groups), offsets };
  },
};

/** The event as one JSON line: what "bytes of JSON" means in every result. */
export function writeDocument(
  writer: ByteWriter,
  offsets: OffsetLists,
  { event, group }: { event: BenchEvent; group: EventGroup },
): void {
  writer.text('{"@timestamp":"');
  offsets.times.push(writer.gap(isoSecondsLength));
  writer.text('.').gap(nanoDigits);
  writer.text(`Z","severity":"${event.severityText}","message":"${event.bodyStart}`);
  offsets.requestIds.push(writer.gap(requestIdDigits));
  const fields = Object.fromEntries([...group.resource, ...event.attributes]);
  writer.text(`${event.bodyEnd}",${JSON.stringify(fields).slice(1, -1)},"trace_id":"`);
  offsets.traceIds.push(writer.gap(traceIdBytes * 2));
  writer.text('"}\n');
}
