import { expect, it } from 'vitest';
import { checkHistories } from '../../test/fixture/arbitrary-history.ts';
import { dedupBufferBytes } from '../../test/fixture/simulated-node.ts';

it('keeps every acknowledged event, once, through several lives with random faults', async () => {
  const dedupBuffer = new ArrayBuffer(dedupBufferBytes);
  await expect(checkHistories({ numRuns: 80, dedupBuffer })).resolves.toBeUndefined();
}, 60_000);
