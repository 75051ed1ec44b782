/** Test support: one node of the race in `table-races.test.ts`, run as a process of its own. */
import { systemClock } from '../../base/clock.ts';
import { rawEventsSchema } from '../../columns/index.ts';
import { LocalObjectStore } from '../object-store/local.ts';
import { LakeTable } from '../table.ts';
import { describeFile } from './table-fixture.ts';

export interface AppendTask {
  readonly root: string;
  readonly nodeId: string;
  readonly count: number;
}

const { root, nodeId, count } = JSON.parse(process.argv[2] ?? '') as AppendTask;
const store = await LocalObjectStore.open(root);
const table = await LakeTable.open({ store, schema: rawEventsSchema, nodeId, clock: systemClock });
let attempts = 0;
for (let index = 0; index < count; index += 1) {
  const file = describeFile(`${nodeId}-${index}`);
  await store.put(file.key, Buffer.alloc(file.stats.sizeBytes));
  attempts += (await table.append([file], { commitId: `${nodeId}-${index}` })).attempts;
}
process.send?.({ attempts });
