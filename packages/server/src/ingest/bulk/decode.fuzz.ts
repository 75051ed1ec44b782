import { BulkRig } from './bulk.fixture.ts';

const encoder = new TextEncoder();

const seeds = [
  '{"create":{"_index":"logs","_id":"1"}}\n{"@timestamp":"2026-01-02T03:04:05Z","message":"m"}\n',
  '{"index":{}}\n{"log":{"level":"warn"},"msg":"\\u00e9\\n","time":1700000000.5}\n{"delete":{}}\n',
  '{"update":{"_id":"1"}}\n{"doc":{"a":[1,{"b":null}]}}\n\r\n{"create":{}}\r\n{"host":{"name":"h"}}',
].map((text) => encoder.encode(text));

const rig = new BulkRig({ rejection: 'items' });

export const fuzzTargets = [
  {
    name: 'bulk',
    seeds,
    /** `send` lets every error through that is not meant for the sender. */
    run(input: Uint8Array): void {
      for (const path of ['/_bulk', '/logs/_doc/1']) {
        JSON.parse(rig.send(input, { path }).body);
        for (const column of rig.builder.batch.columns) {
          if (column.rows !== rig.builder.rows) throw new Error('the columns are out of step');
        }
        rig.builder.batch.clear();
        rig.forget();
      }
    },
  },
];
