import { isUtf8 } from 'node:buffer';
import { IngestRig } from '../../../test/fixture/ingest-rig.ts';
import { encodeJson, pushMessage, sampleStreams } from '../../../test/fixture/loki-encode.ts';
import { snappyLiteral } from '../../../test/fixture/snappy-encode.ts';
import { createLokiProtocol } from './index.ts';

const rig = new IngestRig(createLokiProtocol({ dedup: true }), { limits: { maxAttributes: 32 } });

/** `send` lets every error through that is not meant for the sender; what is stored must be valid text. */
function check(body: Uint8Array, contentType: string): void {
  rig.send(body, { headers: { 'content-type': contentType } });
  const { batch } = rig.builder;
  for (const column of batch.columns) {
    if (column.rows !== batch.rows) throw new Error('the columns are out of step');
  }
  const { keys, values } = batch.map('attributes');
  for (const column of [batch.utf8('body'), batch.utf8('service'), keys, values]) {
    if (!isUtf8(column.dataView())) throw new Error('a text is not UTF-8');
  }
  rig.clear();
}

export const fuzzTargets = [
  {
    name: 'loki-protobuf',
    seeds: [pushMessage(sampleStreams)],
    run: (input: Uint8Array): void => check(snappyLiteral(input), 'application/x-protobuf'),
  },
  {
    name: 'loki-json',
    seeds: [
      encodeJson(sampleStreams, { space: ' ' }),
      encodeJson(sampleStreams, { isLegacy: true, isReversed: true }),
    ],
    run: (input: Uint8Array): void => check(input, 'application/json'),
  },
];
