import { type Clock, systemClock } from '../../base/clock.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import type { DecodedRequest, IngestRequest, Protocol } from '../../pipeline/index.ts';
import { readDelivery } from './delivery-reader.ts';
import { readDeliveryStream } from './delivery-stream.ts';
import { EventWriter } from './event-writer.ts';
import { RecordData } from './record-data.ts';
import { RecordReader } from './record-reader.ts';
import { acceptedReply, errorReply, requestIdHeader } from './reply.ts';

export const firehoseProtocolName = 'firehose';

/** What the compressed records of a request inflate to at most, as a multiple of the limit of its body. */
const maxInflation = 4;

export interface FirehoseProtocolOptions {
  readonly clock?: Clock;
}

/**
 * HTTP endpoint delivery of Amazon Data Firehose ("Understand HTTP endpoint delivery request and response
 * specifications" of its developer guide). Records are never refused one by one, because the sender repeats the whole
 * batch. Failures: `ingest_malformed_body`, `request_body_too_large` and the caps of the builder.
 */
export function createFirehoseProtocol({
  clock = systemClock,
}: FirehoseProtocolOptions = {}): Protocol {
  return {
    name: firehoseProtocolName,

    decode(request: IngestRequest, body: Uint8Array, builder: RawEventBuilder): DecodedRequest {
      const { headers, maxBodyBytes } = request;
      const rowsBefore = builder.rows;
      const stream = readDeliveryStream(headers);
      const writer = new EventWriter(builder, {
        requestId: headers[requestIdHeader] ?? '',
        stream,
      });
      readDelivery(body, {
        writer,
        data: new RecordData(maxBodyBytes * maxInflation),
        records: new RecordReader(writer),
      });
      const { received, deduplicated, outOfTime } = writer;
      return {
        received,
        stored: builder.rows - rowsBefore,
        deduplicated,
        rejected: outOfTime === 0 ? {} : { ingest_timestamp_out_of_range: outOfTime },
        reply: () => acceptedReply(headers, clock),
      };
    },

    replyToError: (error, { headers }) => errorReply(error, headers, clock),
  };
}
