import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../packages/server/src/base/clock.ts';
import { encodeRecordBatch, rawEventsSchema } from '../../packages/server/src/columns/index.ts';
import {
  type DataFile,
  LakeTable,
  LocalObjectStore,
} from '../../packages/server/src/lake/index.ts';
import { encodeParquet, footerStats } from '../../packages/server/src/parquet/index.ts';
import { otlpProtobuf } from '../workload/otlp-protobuf.ts';
import { Random } from '../workload/random.ts';
import { makePool } from '../workload/request-pool.ts';
import { decodeRequest, openBuilder, openProtocol } from './decode-request.ts';

export interface ManyFiles {
  readonly files: number;
  readonly events: number;
  readonly bytes: number;
  /** Event times of file `i` are within the minute before `firstMs + i * stepMs`. */
  readonly firstMs: number;
  readonly stepMs: number;
}

const stepMs = 60_000;
/** One commit of this many files after another, as a busy table grows. */
const filesPerCommit = 500;

/**
 * Fills a bucket with a table of many small data files, one for each minute, by the server's own decoder, Parquet
 * encoder and table writer. Ingesting them through a node would take a minute of waiting for each.
 */
export async function writeManyFiles(
  bucket: string,
  size: { files: number; eventsPerFile: number; seed: number },
): Promise<ManyFiles> {
  const table = await LakeTable.open({
    store: await LocalObjectStore.open(bucket),
    schema: rawEventsSchema,
    nodeId: randomUUID(),
    clock: systemClock,
  });
  mkdirSync(join(bucket, table.dataPrefix), { recursive: true });
  const firstMs = Date.now() - size.files * stepMs;
  const makeFile = fileMaker(size);
  let waiting: DataFile[] = [];
  let bytes = 0;
  for (let index = 0; index < size.files; index++) {
    const content = makeFile(firstMs + index * stepMs);
    const key = `${table.dataPrefix}${randomUUID()}.parquet`;
    // Not synced: it has to survive no crash.
    writeFileSync(join(bucket, key), content);
    bytes += content.length;
    waiting.push({ key, stats: footerStats(content, content.length) });
    if (waiting.length < filesPerCommit && index + 1 < size.files) continue;
    await table.append(waiting, { commitId: randomUUID() });
    waiting = [];
  }
  return { files: size.files, events: size.files * size.eventsPerFile, bytes, firstMs, stepMs };
}

function fileMaker(size: { eventsPerFile: number; seed: number }): (timeMs: number) => Uint8Array {
  const encoding = otlpProtobuf;
  const eventsPerRequest = size.eventsPerFile;
  const pool = makePool({ encoding, seed: size.seed, requests: 64, eventsPerRequest });
  const random = new Random(size.seed);
  const protocol = openProtocol(encoding);
  const builder = openBuilder();
  let next = 0;
  return (timeMs) => {
    const request = pool[next++ % pool.length];
    if (request === undefined) throw new Error('the pool is empty');
    request.stamp(timeMs, random);
    builder.batch.clear();
    decodeRequest(protocol, encoding, { body: new Uint8Array(request.body()), builder });
    return encodeParquet(rawEventsSchema, [Buffer.concat(encodeRecordBatch(builder.batch))]);
  };
}
