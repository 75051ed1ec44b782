import { describe, expect, it } from 'vitest';
import { Freshness } from './freshness.ts';

function setup() {
  const rounds: PromiseWithResolvers<void>[] = [];
  const freshness = new Freshness(() => {
    const round = Promise.withResolvers<void>();
    rounds.push(round);
    return round.promise;
  });
  const settled: string[] = [];
  const ensure = (name: string): Promise<void> =>
    freshness.ensure().then(
      () => void settled.push(name),
      () => void settled.push(`${name} failed`),
    );
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { rounds, settled, ensure, turn };
}

describe('Freshness', () => {
  it('never lets a caller share a round that began before it', async () => {
    const { rounds, settled, ensure, turn } = setup();
    void ensure('first');
    void ensure('second');
    void ensure('third');
    expect(rounds).toHaveLength(1);
    rounds[0]?.resolve();
    await turn();
    expect(settled).toEqual(['first']);
    expect(rounds).toHaveLength(2);
    void ensure('fourth');
    rounds[1]?.resolve();
    await turn();
    expect(settled).toEqual(['first', 'second', 'third']);
    rounds[2]?.resolve();
    await turn();
    expect(settled).toEqual(['first', 'second', 'third', 'fourth']);
    expect(rounds).toHaveLength(3);
  });

  it('fails only the callers of the round that failed', async () => {
    const { rounds, settled, ensure, turn } = setup();
    void ensure('first');
    void ensure('second');
    rounds[0]?.reject(new Error('disk full'));
    await turn();
    rounds[1]?.resolve();
    await turn();
    expect(settled).toEqual(['first failed', 'second']);
  });
});
