import { describe, expect, it } from 'vitest';
import { readUrlState, writeUrlState, type UrlState } from './url-state.ts';

describe('the state in the address', () => {
  it('comes back as it was written', () => {
    const states: UrlState[] = [
      { view: 'search', search: '', range: '1h', event: undefined, zone: 'local' },
      { view: 'node', search: 'a:"b & c" + 100%', range: 'all', event: '1-x', zone: 'utc' },
    ];
    for (const state of states) expect(readUrlState(writeUrlState(state))).toEqual(state);
  });

  it('falls back to defaults for what it does not know', () => {
    expect(readUrlState('?view=x&range=century&tz=mars')).toEqual(readUrlState(''));
  });
});
