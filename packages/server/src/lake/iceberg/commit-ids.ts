/**
 * Which commits of each node a table already holds, so that a node that crashed can ask instead of guessing.
 *
 * What it holds: a table property `varve.node.<node id>` per node with its last commits and the WAL segments
 * each of them published. Written in the same metadata file as the commit itself, so the two cannot disagree.
 * It outlives the snapshots, which expire. Size bound: `COMMITS_PER_NODE` commits of at most
 * `SEGMENTS_PER_COMMIT` segments for the `NODES_MAX` nodes that committed last.
 */
import { assert } from '../../base/assert.ts';
import type { TableMetadata } from './metadata.ts';

const PREFIX = 'varve.node.';
const COMMITS_PER_NODE = 8;
const SEGMENTS_PER_COMMIT = 256;
const NODES_MAX = 64;
const ID = /^[\w.:-]{1,128}$/;

export const COMMIT_ID_KEY = 'varve.commit-id';
export const NODE_ID_KEY = 'varve.node';

export interface CommitOrigin {
  readonly nodeId: string;
  readonly commitId: string;
  /** WAL segments whose events this commit publishes, at most 256. */
  readonly segmentIds: readonly string[];
}

export function assertCommitOrigin(origin: CommitOrigin): void {
  assert(ID.test(origin.nodeId), 'node id does not fit a table property');
  assert(ID.test(origin.commitId), 'commit id does not fit a table property');
  assert(origin.segmentIds.length <= SEGMENTS_PER_COMMIT, 'too many segments in one commit');
  for (const id of origin.segmentIds) assert(ID.test(id), 'segment id does not fit a property');
}

/** Newest first; each commit is its id followed by its segments, separated by spaces. */
function parseProperty(value: string): { atMs: number; commits: string[] } {
  const [atMs, ...commits] = value.split(';');
  return { atMs: Number(atMs) || 0, commits };
}

export function recordCommit(
  properties: Readonly<Record<string, string>>,
  origin: CommitOrigin,
  nowMs: number,
): Record<string, string> {
  const key = `${PREFIX}${origin.nodeId}`;
  const earlier = parseProperty(properties[key] ?? '').commits;
  const commit = [origin.commitId, ...origin.segmentIds].join(' ');
  const commits = [commit, ...earlier].slice(0, COMMITS_PER_NODE);
  const updated = { ...properties, [key]: [String(nowMs), ...commits].join(';') };
  const nodes = Object.keys(updated).filter((name) => name.startsWith(PREFIX));
  if (nodes.length <= NODES_MAX) return updated;
  const age = (name: string): number => parseProperty(updated[name] ?? '').atMs;
  const forgotten = new Set(nodes.toSorted((a, b) => age(b) - age(a)).slice(NODES_MAX));
  return Object.fromEntries(Object.entries(updated).filter(([name]) => !forgotten.has(name)));
}

export function hasCommit(metadata: TableMetadata, commitId: string): boolean {
  return (
    metadata.snapshots.some((snapshot) => snapshot.summary[COMMIT_ID_KEY] === commitId) ||
    recordedCommits(metadata).some((commit) => commit[0] === commitId)
  );
}

export function hasSegment(metadata: TableMetadata, segmentId: string): boolean {
  return recordedCommits(metadata).some((commit) => commit.indexOf(segmentId, 1) > 0);
}

function recordedCommits(metadata: TableMetadata): string[][] {
  return Object.entries(metadata.properties)
    .filter(([name]) => name.startsWith(PREFIX))
    .flatMap(([, value]) => parseProperty(value).commits.map((commit) => commit.split(' ')));
}
