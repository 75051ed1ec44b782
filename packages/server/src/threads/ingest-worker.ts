import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import { nodeFileSystem } from '../base/node-file-system.ts';
import { RpcServer } from '../base/rpc.ts';
import { encodeSchemaMessage, rawEventsSchema } from '../columns/index.ts';
import { createBulkProtocol } from '../ingest/bulk/index.ts';
import { createFirehoseProtocol } from '../ingest/firehose/index.ts';
import { createGelfProtocols } from '../ingest/gelf/index.ts';
import { createHecProtocol } from '../ingest/hec/index.ts';
import { decompress } from '../ingest/http/index.ts';
import { createLokiProtocol } from '../ingest/loki/index.ts';
import { otlpProtocol } from '../ingest/otlp/index.ts';
import { createObjectProtocol } from '../ingest/sqs/index.ts';
import {
  createEventGroups,
  type DedupWindow,
  fingerprintsOf,
  GroupCommit,
  IngestEngine,
  openDedupWindow,
  SegmentRotation,
} from '../pipeline/index.ts';
import { schemaHashBytes, WalWriter } from '../wal/index.ts';
import { threadChannel } from './channel.ts';
import type { IngestCalls, IngestEvents, IngestWorkerOptions } from './ingest-protocol.ts';
import { workerLogger } from './worker-log.ts';

// The ingest worker: bytes in, acknowledgements out. Owns the log and the dedup window.

/** A group this big is written at once; bounds what one sync covers and what memory holds. */
const groupMaxBytes = 32 * 1024 * 1024;

assert(parentPort !== null, 'the ingest worker is a worker thread');
const options: IngestWorkerOptions = workerData;
const logger = workerLogger(options.log, 'ingest');

interface Opened {
  readonly wal: WalWriter;
  readonly engine: IngestEngine;
  readonly group: { drain(): Promise<void> };
  readonly rotation: SegmentRotation;
}

let opened: Opened | undefined;

function running(): Opened {
  assert(opened !== undefined, 'open comes before any other call');
  return opened;
}

async function open(): Promise<{ opened: Opened; dedup: DedupWindow }> {
  const schemaMessage = encodeSchemaMessage(rawEventsSchema);
  const fileSystem = nodeFileSystem;
  const wal = await WalWriter.open({
    directory: join(options.dataDir, 'wal'),
    fileSystem,
    logger,
    schemaHash: createHash('sha256').update(schemaMessage).digest().subarray(0, schemaHashBytes),
    segmentMaxBytes: options.segmentMaxBytes,
    onSegmentClosed(segment) {
      rotation.noteClosedByLog();
      server.emit('segmentClosed', segment);
    },
  });
  const dedup = await openDedupWindow({
    fileSystem,
    directory: join(options.dataDir, 'dedup'),
    logger,
    windowEvents: options.dedupWindowEvents,
    unsealed: wal.unsealedSegments(),
    fingerprintsOf: ({ path }, seed) => fingerprintsOf({ fileSystem, path, schemaMessage, seed }),
  });
  const rotation = new SegmentRotation({
    wal,
    clock: systemClock,
    logger,
    sealIntervalMs: options.sealIntervalMs,
    onSegmentClosed: (segment) => server.emit('segmentClosed', segment),
    onUsage: (usage) => server.emit('walUsage', usage),
  });
  const group = new GroupCommit({
    batches: createEventGroups(options, options.dedupWindowEvents === 0 ? undefined : dedup),
    log: rotation,
    dedup,
    logger,
    groupMaxBytes,
  });
  const engine = new IngestEngine({
    protocols: [
      otlpProtocol,
      createBulkProtocol({ rejection: options.bulkRejection }),
      createLokiProtocol(options.loki),
      createHecProtocol(options.hec),
      createFirehoseProtocol(),
      ...createGelfProtocols(options.gelf),
      createObjectProtocol(),
    ],
    group,
    decompress,
    clock: systemClock,
  });
  return { opened: { wal, engine, group, rotation }, dedup };
}

const server = new RpcServer<IngestCalls, IngestEvents>(threadChannel(parentPort), {
  async open() {
    const result = await open();
    opened = result.opened;
    return {
      segments: opened.wal.unsealedSegments(),
      usage: opened.wal.status,
      dedupSeed: result.dedup.seed,
    };
  },
  submit: (request) => running().engine.submit(request),
  rotate: () => running().rotation.rotate(),
  async removeSegment(segmentId) {
    await running().wal.remove(segmentId);
    running().rotation.reportUsage();
  },
  async close() {
    await running().group.drain();
    running().rotation.stop();
    await running().wal.close();
  },
});
