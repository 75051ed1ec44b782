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

/** Files as they cross to the process that reads them: a few buffers instead of an object for each. */
export interface PackedFiles {
  /** UTF-8, each path ended by a NUL. */
  readonly paths: readonly Uint8Array[];
  /** In the same order. */
  readonly times?: FileTimes;
}

/** Range of the time column of each file, as wide as can be where it is not known, and its rows. */
export interface FileTimes {
  readonly earliest: BigInt64Array;
  readonly latest: BigInt64Array;
  readonly rows: Float64Array;
}

export async function packFiles(
  selection: FileSelection,
  options: { readonly timesOf: string | undefined; readonly slice: TimeSlice },
): Promise<PackedFiles> {
  const { timesOf, slice } = options;
  const paths: Buffer[] = [];
  const times = timesOf === undefined ? undefined : new TimeGathering(selection.count, timesOf);
  for (const part of selection.parts) {
    if (slice.isOver) await slice.yield();
    let text = '';
    for (const slot of part.slots) text += `${part.block.paths[slot] ?? ''}\0`;
    paths.push(Buffer.from(text));
    times?.add(part);
  }
  return { paths, ...(times === undefined ? {} : { times: times.result }) };
}

const earliestTime = -(2n ** 63n);
const latestTime = 2n ** 63n - 1n;

class TimeGathering {
  readonly result: FileTimes;
  readonly #column: string;
  #length = 0;

  constructor(count: number, column: string) {
    this.result = {
      earliest: new BigInt64Array(count),
      latest: new BigInt64Array(count),
      rows: new Float64Array(count),
    };
    this.#column = column;
  }

  add({ block, slots }: SelectedSlots): void {
    const { earliest, latest, rows } = this.result;
    const leaf = block.layout.ofColumn(this.#column)[0];
    const times = leaf === undefined ? undefined : block.files.leaves[leaf.index];
    for (const slot of slots) {
      const hasMin = times?.has(slot, leafFacts.hasMin) === true;
      const hasMax = times?.has(slot, leafFacts.hasMax) === true;
      earliest[this.#length] = (hasMin ? times.min[slot] : undefined) ?? earliestTime;
      latest[this.#length] = (hasMax ? times.max[slot] : undefined) ?? latestTime;
      rows[this.#length] = block.files.rows[slot] ?? 0;
      this.#length += 1;
    }
  }
}

export const unpackPaths = ({ paths }: PackedFiles): string[] =>
  paths.flatMap((bytes) => textOf(bytes).split('\0').slice(0, -1));

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
