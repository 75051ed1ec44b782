import { leafFacts, type FileBlock, type FileView } from '../../lake/index.ts';
import type { ScanTest } from './scan-test.ts';
import type { TimeSlice } from './time-slice.ts';

/** Some files of a view. */
export interface FileSelection {
  readonly count: number;
  readonly parts: readonly SelectedSlots[];
}

export const noFiles: FileSelection = { count: 0, parts: [] };

export interface SelectedSlots {
  readonly block: FileBlock;
  readonly slots: readonly number[];
}

/** Files in which at least one of the tests can find a row. */
export async function selectFiles(
  view: FileView,
  tests: readonly ScanTest[],
  slice: TimeSlice,
): Promise<FileSelection> {
  const parts: SelectedSlots[] = [];
  let count = 0;
  for (const block of view.blocks) {
    if (slice.isOver) await slice.yield();
    const slots: number[] = [];
    for (let slot = 0; slot < block.length; slot += 1) {
      if (!block.isVisible(slot, view.version)) continue;
      if (tests.some((test) => test.fileMayMatch(block, slot))) slots.push(slot);
    }
    if (slots.length === 0) continue;
    parts.push({ block, slots });
    count += slots.length;
  }
  return { count, parts };
}

/** Files as they cross to the process that reads them: a few large buffers, whatever their number. */
export interface PackedFiles {
  /** UTF-8, each ended by a NUL. */
  readonly paths: Uint8Array;
  /** Range of the time column of each; as wide as can be where it is not known. */
  readonly earliest: BigInt64Array;
  readonly latest: BigInt64Array;
  readonly rows: Float64Array;
}

const earliestTime = -(2n ** 63n);
const latestTime = 2n ** 63n - 1n;

/** `timeColumn` names the integer column whose range is wanted. */
export async function packFiles(
  selection: FileSelection,
  timeColumn: string,
  slice: TimeSlice,
): Promise<PackedFiles> {
  const earliest = new BigInt64Array(selection.count);
  const latest = new BigInt64Array(selection.count);
  const rows = new Float64Array(selection.count);
  const texts: Buffer[] = [];
  let at = 0;
  for (const { block, slots } of selection.parts) {
    if (slice.isOver) await slice.yield();
    const leaf = block.layout.ofColumn(timeColumn)[0];
    const times = leaf === undefined ? undefined : block.files.leaves[leaf.index];
    let text = '';
    for (const slot of slots) {
      text += `${block.paths[slot] ?? ''}\0`;
      const hasMin = times?.has(slot, leafFacts.hasMin) === true;
      const hasMax = times?.has(slot, leafFacts.hasMax) === true;
      earliest[at] = (hasMin ? times.min[slot] : undefined) ?? earliestTime;
      latest[at] = (hasMax ? times.max[slot] : undefined) ?? latestTime;
      rows[at] = block.files.rows[slot] ?? 0;
      at += 1;
    }
    texts.push(Buffer.from(text));
  }
  return { paths: Buffer.concat(texts), earliest, latest, rows };
}

export const unpackPaths = (paths: Uint8Array): string[] =>
  Buffer.from(paths.buffer, paths.byteOffset, paths.byteLength).toString().split('\0').slice(0, -1);
