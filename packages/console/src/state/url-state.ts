import type { Zone } from '../format/quantity.ts';

export const timeRanges = [
  { id: '5m', label: 'Last 5 minutes', seconds: 300 },
  { id: '15m', label: 'Last 15 minutes', seconds: 900 },
  { id: '1h', label: 'Last hour', seconds: 3600 },
  { id: '6h', label: 'Last 6 hours', seconds: 21_600 },
  { id: '24h', label: 'Last 24 hours', seconds: 86_400 },
  { id: '7d', label: 'Last 7 days', seconds: 604_800 },
  { id: 'all', label: 'All time', seconds: undefined },
] as const;
export type TimeRangeId = (typeof timeRanges)[number]['id'];

export type View = 'search' | 'node';

/** What a link to the console says; everything else is derived or lost on reload. */
export interface UrlState {
  readonly view: View;
  readonly search: string;
  readonly range: TimeRangeId;
  /** Key of the event shown in detail. */
  readonly event: string | undefined;
  readonly zone: Zone;
}

export function readUrlState(query: string): UrlState {
  const parameters = new URLSearchParams(query);
  const range = timeRanges.find((each) => each.id === parameters.get('range'));
  return {
    view: parameters.get('view') === 'node' ? 'node' : 'search',
    search: parameters.get('q') ?? '',
    range: range?.id ?? '1h',
    event: parameters.get('event') ?? undefined,
    zone: parameters.get('tz') === 'utc' ? 'utc' : 'local',
  };
}

/** The query part of the address, `?` included; defaults are left out. */
export function writeUrlState(state: UrlState): string {
  const parameters = new URLSearchParams();
  if (state.view !== 'search') parameters.set('view', state.view);
  if (state.search !== '') parameters.set('q', state.search);
  if (state.range !== '1h') parameters.set('range', state.range);
  if (state.event !== undefined) parameters.set('event', state.event);
  if (state.zone !== 'local') parameters.set('tz', state.zone);
  const query = parameters.toString();
  return query === '' ? '?' : `?${query}`;
}
