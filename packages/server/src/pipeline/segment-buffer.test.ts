import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeFileSystem as fileSystem } from '../base/node-file-system.ts';
import { encodeSchemaMessage, endOfStream, rawEventsSchema } from '../columns/index.ts';
import { createLogger } from '../telemetry/index.ts';
import { type ClosedSegment, schemaHashBytes, WalWriter } from '../wal/index.ts';
import { SegmentBuffer } from './segment-buffer.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-segment-buffer-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

const schemaMessage = encodeSchemaMessage(rawEventsSchema);

async function writeSegments(lists: readonly Uint8Array[][]): Promise<ClosedSegment[]> {
  await using wal = await WalWriter.open({
    directory: await mkdtemp(join(directory, 'wal-')),
    fileSystem,
    logger: createLogger({ level: 'fatal', format: 'json' }),
    schemaHash: new Uint8Array(schemaHashBytes),
    segmentMaxBytes: 1 << 30,
  });
  for (const payloads of lists) {
    for (const payload of payloads) await wal.append([payload], 1);
    await wal.rotate();
  }
  return [...wal.unsealedSegments()];
}

describe('SegmentBuffer', () => {
  it('makes the same stream as joining the records, one segment after another', async () => {
    const payload = fc.uint8Array({ minLength: 1, maxLength: 3000 });
    const segments = fc.array(fc.array(payload, { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(segments, async (lists) => {
        const buffer = new SegmentBuffer(schemaMessage);
        const closed = await writeSegments(lists);
        expect(closed.length).toBe(lists.length);
        for (const [index, { path }] of closed.entries()) {
          const payloads = lists[index] ?? [];
          const contents = await buffer.read(fileSystem, path);
          const read = contents.records.map((record) => Buffer.from(record.payload));
          expect(read).toEqual(payloads.map((bytes) => Buffer.from(bytes)));
          const stream = Buffer.from(contents.takeStream());
          const expected = Buffer.concat([schemaMessage, ...payloads, endOfStream]);
          expect(stream.equals(expected)).toBe(true);
        }
      }),
      { numRuns: 20 },
    );
  });
});
