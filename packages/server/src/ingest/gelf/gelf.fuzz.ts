import { isUtf8 } from 'node:buffer';
import { deflateSync, gzipSync } from 'node:zlib';
import { ProtocolRig } from '../../../test/fixture/protocol-rig.ts';
import { systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import { ChunkAssembler } from './chunk-assembler.ts';
import { FrameListWriter } from './frame-list.ts';
import { FrameSplitter } from './frame-splitter.ts';
import { createGelfProtocols } from './protocol.ts';

const maxMessageBytes = 4096;
const seeds = [
  '{"version":"1.1","host":"h","short_message":"m","timestamp":1.5,"level":6,"_a":{"b":[1,null]}}',
  '{"message":"a\\u00e9\\n","_x":"1\n2",}{"full_message":"f","_y":true}',
].map((text) => Buffer.from(text));

const rig = new ProtocolRig(createGelfProtocols({ maxMessageBytes, idField: 'a' }), {
  maxEventBytes: 4096,
  maxAttributes: 16,
});

/** Either refused or stored as valid texts, and every message is accounted for. */
function check(protocol: string, body: Uint8Array): void {
  try {
    const { received, stored, deduplicated, rejected } = rig.decode({ protocol, body });
    const refused = Object.values(rejected).reduce((sum, count) => sum + count, 0);
    if (received !== stored + deduplicated + refused) throw new Error('an event is unaccounted');
    if (protocol === 'gelf_frames' && received === 0) throw new Error('a message is unaccounted');
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (rig.builder.rows > 0) throw new Error('a refused body left rows', { cause: error });
  }
  const map = rig.builder.batch.map('attributes');
  for (const column of [rig.builder.batch.utf8('body'), map.keys, map.values]) {
    for (let row = 0; row < column.rows; row++) {
      const value = column.data.subarray(column.start(row), column.end(row));
      if (!isUtf8(value)) throw new Error(`value ${row} is not UTF-8`);
    }
  }
  rig.builder.batch.truncate(0);
}

function checkMessage(message: Uint8Array): void {
  const list = new FrameListWriter();
  list.add('::1', message);
  check('gelf_frames', list.take().body);
}

/** One stream, cut in two ways, has the same frames. */
function checkStream(stream: Uint8Array): void {
  const read = (step: number): string => {
    const frames: string[] = [];
    const splitter = new FrameSplitter({
      maxFrameBytes: 64,
      isLineFeedEnd: true,
      onFrame: (frame) => frames.push(Buffer.from(frame).toString('hex')),
      onLost: (reason) => frames.push(reason),
      hold: () => true,
    });
    for (let at = 0; at < stream.length; at += step) splitter.add(stream.subarray(at, at + step));
    splitter.end();
    return frames.join();
  };
  if (read(7) !== read(1000)) throw new Error('the frames depend on how the stream is cut');
}

/** The input is a list of datagrams, each with its length before it. */
function checkChunks(input: Uint8Array): void {
  let lost = 0;
  const clock = { ...systemClock, after: () => () => undefined };
  const assembler = new ChunkAssembler({ maxMessageBytes: 200, clock, onLost: () => lost++ });
  let datagrams = 0;
  let messages = 0;
  for (let at = 0; at < input.length; datagrams++) {
    const end = at + 1 + (input[at] ?? 0);
    if (assembler.add(input.subarray(at + 1, end), '::1') !== undefined) messages++;
    at = end;
  }
  assembler.close();
  const { sets, bytes } = assembler.pending;
  if (sets !== 0 || bytes !== 0) throw new Error('a closed assembler holds chunks');
  if (lost + messages > datagrams) throw new Error('a datagram was counted twice');
}

const chunkHead = [15, 0x1e, 0x0f, 1, 2, 3, 4, 5, 6, 7, 8];
const chunkSeed = [1, 0, 1].flatMap((sequence) => [...chunkHead, sequence, 2, 0x61, 0x62, 0x63]);

export const fuzzTargets = [
  { name: 'gelf-http', seeds, run: (input: Uint8Array): void => check('gelf', input) },
  {
    name: 'gelf-message',
    seeds: [
      ...seeds,
      ...seeds.map((seed) => gzipSync(seed)),
      ...seeds.map((seed) => deflateSync(seed)),
    ],
    run: checkMessage,
  },
  { name: 'gelf-stream', seeds: [Buffer.from('{"a":1}\0{"b":2}\n{"c":3}')], run: checkStream },
  { name: 'gelf-chunks', seeds: [Uint8Array.from(chunkSeed)], run: checkChunks },
];
