import { isUtf8 } from 'node:buffer';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { ProtocolRig } from '../../../test/fixture/protocol-rig.ts';
import { DamagedObject } from './inflater.ts';
import { parseNotification } from './notification.ts';
import { ObjectStream, RefusedObject } from './object-stream.ts';
import { createObjectProtocol } from './protocol.ts';
import { sliceHeaders } from './slice-headers.ts';

const contents = [
  '{"message":"a","level":"info"}\r\n{broken\nplain line\n2026-01-02 03:04:05 ERROR x\n',
  '[{"message":"a"},{"b":[1,"]"]},\n"c"]',
  '{"Records":[{"eventID":"e","eventTime":"2026-01-02T03:04:05Z"},{"eventName":"n"}]}',
  'version srcaddr start log-status\n2 - 1767323045 OK\n2 1.2.3.4 1767323045 OK\n',
  'http 2026-01-02T03:04:05Z app/a/b 1.2.3.4:5 - -1 -1 -1 400 - 0 0 "- \\x22 -" "a\\"b" - - x\n',
].map((text) => Buffer.from(text));

async function* chunksOf(content: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

/** How many entries are read, whether stored or refused; every stored text is UTF-8. */
async function entriesOf(input: Uint8Array, size: number): Promise<number | undefined> {
  const rig = new ProtocolRig([createObjectProtocol()], { maxEventBytes: 4096, maxAttributes: 32 });
  const stream = new ObjectStream({ maxBytes: 100_000, maxEntryBytes: 8192, sliceBytes: size });
  let received = 0;
  try {
    for await (const { format, header, offset, bytes } of stream.read(chunksOf(input, size))) {
      const object = { bucket: 'b', key: 'k', objectId: 'o', modifiedMs: 0 };
      const headers = sliceHeaders({ ...object, format, header, offset });
      const decoded = rig.decode({ protocol: 's3_object', headers, body: bytes });
      if (decoded.deduplicated > 0) throw new Error('two entries have one id');
      received += decoded.received;
    }
  } catch (error) {
    if (!(error instanceof DamagedObject) && !(error instanceof RefusedObject)) throw error;
    return undefined;
  }
  const map = rig.builder.batch.map('attributes');
  for (const column of [rig.builder.batch.utf8('body'), map.keys, map.values]) {
    for (let row = 0; row < column.rows; row++) {
      const value = column.data.subarray(column.start(row), column.end(row));
      if (!isUtf8(value)) throw new Error(`value ${row} is not UTF-8`);
    }
  }
  return received;
}

/** Whether an object can be read does not depend on how it is cut. */
async function checkObject(input: Uint8Array): Promise<void> {
  const whole = await entriesOf(input, 100_000);
  const cut = await entriesOf(input, 7);
  if ((whole === undefined) !== (cut === undefined)) throw new Error('the fault depends on cuts');
}

export const fuzzTargets = [
  {
    name: 's3-object',
    seeds: [
      ...contents,
      ...contents.map((content) => gzipSync(content)),
      ...contents.map((content) => zstdCompressSync(content)),
    ],
    run: checkObject,
  },
  {
    name: 's3-notification',
    seeds: [
      '{"Records":[{"eventName":"ObjectCreated:Put","s3":{"bucket":{"name":"b"},"object":{"key":"a%2B"}}}]}',
      '{"Type":"Notification","TopicArn":"t","Message":"{\\"Records\\":[]}"}',
      '{"detail-type":"Object Created","detail":{"bucket":{"name":"b"},"object":{"key":"%"}}}',
      '{"s3Bucket":"b","s3ObjectKey":["k",1]}',
    ].map((text) => Buffer.from(text)),
    run(input: Uint8Array): void {
      for (const ref of parseNotification(Buffer.from(input).toString()) ?? []) {
        if (ref.bucket === '' || ref.keys[0] === '') throw new Error('an object without a name');
      }
    },
  },
];
