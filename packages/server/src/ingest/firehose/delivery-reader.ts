import {
  FieldNames,
  JsonCursor,
  jsonNull,
  jsonNumber,
  jsonString,
  malformedBody,
} from '../../codec/index.ts';
import type { EventWriter } from './event-writer.ts';
import type { RecordData } from './record-data.ts';
import type { RecordReader } from './record-reader.ts';

const timestampField = 1;
const recordsField = 2;
const bodyFields = new FieldNames({ timestamp: timestampField, records: recordsField });
const dataField = new FieldNames({ data: 1 });

export interface DeliveryParts {
  readonly writer: EventWriter;
  readonly data: RecordData;
  readonly records: RecordReader;
}

/**
 * Reads the body of a request, `{"requestId","timestamp","records":[{"data":"<base64>"}]}`.
 * @throws NodeError `ingest_malformed_body`, `request_body_too_large`, and the caps of the builder
 */
export function readDelivery(body: Uint8Array, parts: DeliveryParts): void {
  const cursor = new JsonCursor();
  cursor.open(body);
  cursor.enterObject();
  let recordsPosition = -1;
  while (cursor.nextKey()) {
    const field = bodyFields.find(cursor.text, cursor.textStart, cursor.textEnd);
    const kind = cursor.peek();
    if (field === timestampField && (kind === jsonNumber || kind === jsonString)) {
      cursor.readScalar();
      const text = Buffer.from(cursor.text.subarray(cursor.textStart, cursor.textEnd)).toString();
      if (/^\d{1,15}$/.test(text)) parts.writer.requestTimeMs = Number(text);
      continue;
    }
    if (field === recordsField) recordsPosition = cursor.position;
    cursor.skip();
  }
  cursor.expectEnd();
  if (recordsPosition === -1) throw malformedBody('the body holds no records', 0);
  // Passed once before, for the time may stand behind them.
  cursor.revisit(recordsPosition);
  readRecords(cursor, parts);
}

function readRecords(cursor: JsonCursor, { writer, data, records }: DeliveryParts): void {
  cursor.enterArray();
  for (let index = 0; cursor.nextElement(); index++) {
    writer.beginRecord(index);
    cursor.enterObject();
    while (cursor.nextKey()) {
      const isData = dataField.find(cursor.text, cursor.textStart, cursor.textEnd) !== 0;
      const kind = cursor.peek();
      if (!isData || kind === jsonNull) {
        cursor.skip();
        continue;
      }
      if (kind !== jsonString)
        throw malformedBody('the data of a record is base64', cursor.position);
      cursor.readScalar();
      const { text, textStart, textEnd } = cursor;
      const decoded = data.decode(text, textStart, textEnd);
      if (decoded === undefined) records.readRaw(text, textStart, textEnd);
      else records.read(decoded);
    }
  }
}
