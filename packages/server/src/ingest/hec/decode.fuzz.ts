import { isUtf8 } from 'node:buffer';
import { IngestRig } from '../../../test/fixture/ingest-rig.ts';
import { createHecProtocol } from './index.ts';

const rig = new IngestRig(createHecProtocol({ ack: true, idField: 'uid' }), {
  limits: { maxAttributes: 32 },
});

/** `send` lets every error through that is not meant for the sender; what is stored must be valid text. */
function check(input: Uint8Array, path: string): void {
  JSON.parse(rig.send(input, { path, headers: { 'x-splunk-request-channel': 'c' } }).body);
  const { batch } = rig.builder;
  for (const column of batch.columns) {
    if (column.rows !== batch.rows) throw new Error('the columns are out of step');
  }
  const { keys, values } = batch.map('attributes');
  for (const column of [batch.utf8('body'), batch.utf8('source'), keys, values]) {
    if (!isUtf8(column.dataView())) throw new Error('a text is not UTF-8');
  }
  rig.clear();
}

const seeds = [
  '{"time":1767323044.5,"host":"h","event":{"message":"m","log":{"level":"warn"},"n":[1,null]}}',
  '{"event":"x","fields":{"uid":"b","c":[1,2]},"sourcetype":"st"}\n[{"event":{"k":-1.5e3}},{"event":7}]',
  'ERROR one\r\nlevel=info two\n',
  '{"acks":[0,1]}',
].map((text) => new TextEncoder().encode(text));

export const fuzzTargets = ['event', 'raw', 'ack'].map((kind) => ({
  name: `hec-${kind}`,
  seeds,
  run: (input: Uint8Array): void => check(input, `/services/collector/${kind}`),
}));
