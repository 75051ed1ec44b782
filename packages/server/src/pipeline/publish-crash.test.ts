import { expect, it } from 'vitest';
import { NodeHistory, type Step } from '../../test/fixture/node-history.ts';

const steps: readonly Step[] = [
  { kind: 'send', requests: [['a', 'b'], ['c']] },
  { kind: 'query' },
  { kind: 'send', requests: [['d'], ['a', 'e']] },
  { kind: 'wait', seconds: 2 },
  { kind: 'long-query' },
  { kind: 'send', requests: [['f']] },
  { kind: 'wait', seconds: 61 },
  { kind: 'query' },
  { kind: 'send', requests: [['g', 'd']] },
  { kind: 'long-query' },
  { kind: 'wait', seconds: 61 },
  { kind: 'send', requests: [['h']] },
];

it('needs no fault to be right', async () => {
  const history = new NodeHistory();
  const report = await history.live({ steps, seed: 1, end: 'recover' });
  console.log(report);
  expect(report.operations).toBeGreaterThan(50);
  await history.conclude();
});
