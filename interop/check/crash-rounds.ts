import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runRounds } from '../crash/run-rounds.ts';
import type { CheckGroup } from '../suite/check-list.ts';

const rounds = 10;

/** A short run of what `crash.ts` does for as long as one likes. */
export function crashGroup(directory: string): CheckGroup {
  return {
    name: 'kill -9 rounds',
    async run(checks) {
      await checks.check(`${rounds} kills lose and double nothing`, async () => {
        const seed = Date.now() % 2 ** 31;
        const report = await runRounds({ directory: join(directory, 'crash'), rounds, seed });
        console.log(JSON.stringify(report));
        const { lost, doubled, unknown, acknowledged } = report;
        assert.deepEqual({ lost, doubled, unknown }, { lost: [], doubled: [], unknown: [] });
        assert.ok(acknowledged > 100, `only ${acknowledged} events were acknowledged`);
      });
    },
  };
}
