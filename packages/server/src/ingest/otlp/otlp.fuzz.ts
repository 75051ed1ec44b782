import { isUtf8 } from 'node:buffer';
import { batchBytes, createBuilder, decodeOtlp } from '../../../test/fixture/otlp-decode.ts';
import { encodeJson, encodeProtobuf, plainStyle } from '../../../test/fixture/otlp-encode.ts';
import { sampleLogs } from '../../../test/fixture/otlp-sample.ts';
import { NodeError } from '../../base/errors.ts';

/** The decoder either stores valid texts or refuses the body, and a refused body leaves nothing behind. */
function check(body: Uint8Array, contentType: string): void {
  const builder = createBuilder({ limits: { maxAttributes: 64, maxEventBytes: 4096 } });
  const before = batchBytes(builder);
  try {
    decodeOtlp(body, { builder, contentType });
  } catch (error) {
    if (!(error instanceof NodeError) || !error.code.startsWith('ingest_')) throw error;
    builder.batch.truncate(0);
    if (!batchBytes(builder).equals(before))
      throw new Error('a refused body left bytes', { cause: error });
    return;
  }
  const map = builder.batch.map('attributes');
  for (const column of [builder.batch.utf8('body'), map.keys, map.values]) {
    for (let row = 0; row < column.rows; row++) {
      if (isUtf8(column.data.subarray(column.start(row), column.end(row)))) continue;
      throw new Error(`value ${row} is not UTF-8`);
    }
  }
}

export const fuzzTargets = [
  {
    name: 'otlp-protobuf',
    seeds: [encodeProtobuf(sampleLogs), encodeProtobuf(sampleLogs, { isReversed: true })],
    run: (input: Uint8Array): void => check(input, 'application/x-protobuf'),
  },
  {
    name: 'otlp-json',
    seeds: [
      encodeJson(sampleLogs),
      encodeJson(sampleLogs, { ...plainStyle, isReversed: true, isSnakeCase: true, space: ' ' }),
    ],
    run: (input: Uint8Array): void => check(input, 'application/json'),
  },
];
