import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

import { assert } from '../base/assert.ts';
import { systemClock } from '../base/clock.ts';
import { nodeFileSystem } from '../base/node-file-system.ts';
import { RpcServer } from '../base/rpc.ts';
import { DimensionMapping, RawEventBuilder, rawEventsSchema } from '../columns/index.ts';
import { bulkProtocol } from '../ingest/bulk/index.ts';
import { decompress } from '../ingest/http/index.ts';
import { otlpProtocol } from '../ingest/otlp/index.ts';
import { DedupStore, EventBatch, GroupCommit, IngestEngine } from '../pipeline/index.ts';
import { WalWriter } from '../wal/index.ts';
import { threadChannel } from './channel.ts';
import type { IngestCalls, IngestEvents, IngestWorkerOptions } from './ingest-protocol.ts';
import { workerLogger } from './worker-log.ts';

/** A group this big is written at once; bounds what one sync covers and what memory holds. */
const groupMaxBytes = 32 * 1024 * 1024;
const usageIntervalMs = 200;

assert(parentPort !== null, 'the ingest worker is a worker thread');
const options: IngestWorkerOptions = workerData;
const logger = workerLogger(options.log, 'ingest');
