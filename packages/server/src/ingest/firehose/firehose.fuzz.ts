import { isUtf8 } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { batchBytes, createBuilder } from '../../../test/fixture/otlp-decode.ts';
import { NodeError } from '../../base/errors.ts';
import { deliveryBody, request } from './firehose.fixture.ts';
import { createFirehoseProtocol } from './index.ts';

const protocol = createFirehoseProtocol();

/** Either valid texts are stored and counted, or the body is refused. */
function check(body: Uint8Array, isRecord: boolean): void {
  const builder = createBuilder({ limits: { maxAttributes: 64, maxEventBytes: 65_536 } });
  try {
    const { received, stored } = protocol.decode(request(), body, builder);
    if (received !== stored || stored !== builder.rows) throw new Error('the account is wrong');
  } catch (error) {
    if (!(error instanceof NodeError) || (isRecord && error.code === 'ingest_malformed_body')) {
      throw error;
    }
    builder.batch.truncate(0);
  }
  batchBytes(builder);
  const map = builder.batch.map('attributes');
  for (const column of [builder.batch.utf8('body'), map.keys, map.values]) {
    for (let row = 0; row < column.rows; row++) {
      if (isUtf8(column.data.subarray(column.start(row), column.end(row)))) continue;
      throw new Error(`value ${row} is not UTF-8`);
    }
  }
}

const envelope =
  '{"messageType":"DATA_MESSAGE","owner":"1","logGroup":"/a/b","logStream":"s","logEvents":[{"id":"1","timestamp":1699999980000,"message":"m","extractedFields":{"a":"b"}}]}';
const records = [
  `${envelope}{"message":"a","time":"2023-11-14T22:13:00Z"}`,
  'line\n{"a":{"b":[1,null]}},{"c":',
];

export const fuzzTargets = [
  {
    name: 'firehose-body',
    seeds: [deliveryBody(...records), deliveryBody(gzipSync(envelope))],
    run: (input: Uint8Array): void => check(input, false),
  },
  {
    name: 'firehose-record',
    seeds: records.map((record) => Buffer.from(record)),
    run: (input: Uint8Array): void => check(deliveryBody(input), true),
  },
];
