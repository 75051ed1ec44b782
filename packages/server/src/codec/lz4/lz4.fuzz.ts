import { NodeError } from '../../base/errors.ts';
import { decodeLz4 } from './decode.ts';

const maxBytes = 1 << 20;

export const fuzzTargets = [
  {
    name: 'lz4',
    seeds: [
      Buffer.from('BCJNGGRApxAAAABvaGVsbG8gBgAFUGhlbGxvAAAAAL2c1nQ=', 'base64'),
      Buffer.from('BCJNGHBArRAAAABvaGVsbG8gBgAFUGhlbGxvciC1KAAAAAA=', 'base64'),
    ],
    run(input: Uint8Array): void {
      try {
        const decoded = decodeLz4(input, maxBytes);
        if (decoded !== undefined && decoded.length > maxBytes) throw new Error('over the limit');
      } catch (error) {
        if (!(error instanceof NodeError) || error.code !== 'ingest_malformed_body') throw error;
      }
    },
  },
];
