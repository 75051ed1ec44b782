/**
 * Runs as many random histories of a node on a failing disk and bucket as asked; a failure names its seed and the
 * smallest history that shows it.
 * Usage: node tools/fault-histories.ts [runs] [seed]
 */
import { checkHistories } from '../packages/server/test/fixture/arbitrary-history.ts';
import { dedupBufferBytes } from '../packages/server/test/fixture/simulated-node.ts';

const [runs = '2000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
const dedupBuffer = new ArrayBuffer(dedupBufferBytes);
const batchRuns = 100;
for (let done = 0; done < Number(runs); done += batchRuns) {
  const numRuns = Math.min(batchRuns, Number(runs) - done);
  await checkHistories({ numRuns, seed: Number(seed) + done, dedupBuffer });
  process.stderr.write(`\r${done + numRuns} of ${runs} histories`);
}
console.log(`\n${runs} histories from seed ${seed}: nothing lost, nothing doubled`);
