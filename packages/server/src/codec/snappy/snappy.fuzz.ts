import {
  snappyBlock,
  snappyDataChunk,
  snappyLiteral,
  streamHead,
} from '../../../test/fixture/snappy-encode.ts';
import { NodeError } from '../../base/errors.ts';
import { decodeSnappy } from './decode.ts';

const maxBytes = 64 * 1024;
const text = new TextEncoder().encode('2026-01-02 level=info msg="order placed" ');
const block = snappyBlock([
  { literal: text },
  { offset: text.length, length: 40 },
  { offset: 7, length: 64 },
  { offset: 1, length: 4 },
]);

export const fuzzTargets = [
  {
    name: 'snappy',
    seeds: [
      block.encoded,
      snappyLiteral(text),
      new Uint8Array(Buffer.concat([streamHead, snappyDataChunk(text), snappyDataChunk(block)])),
    ],
    run(input: Uint8Array): void {
      try {
        const size = decodeSnappy(input, maxBytes)?.length ?? 0;
        if (size > maxBytes) throw new Error(`${size} bytes`);
      } catch (error) {
        if (!(error instanceof NodeError) || error.code !== 'ingest_malformed_body') throw error;
      }
    },
  },
];
