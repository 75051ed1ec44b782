import { leafFacts, type FileBlock, type FileView } from '../../lake/index.ts';
import type { NewestFirst } from './newest-first.ts';
import type { TimeSlice } from './time-slice.ts';

/**
 * A time with enough rows certainly on its near side, so that what lies wholly beyond it cannot be among the first
 * rows. Rows at that very time can, so ties are resolved as over all files. Undefined when every row may be among
 * the first.
 */
export async function findNewestEdge(
  view: FileView,
  wanted: Pick<NewestFirst, 'direction' | 'limit' | 'offset'>,
  options: { readonly timeColumn: string; readonly slice: TimeSlice },
): Promise<bigint | undefined> {
  const { timeColumn, slice } = options;
  const leaf = view.layout.ofColumn(timeColumn)[0];
  if (leaf === undefined) return undefined;
  const isNewest = wanted.direction === 'newest';
  const nearest = new NearestPieces(wanted.limit + wanted.offset);
  // Later blocks hold later files as a rule, and once the nearest pieces are in, others are passed over quickly.
  for (const block of view.blocks.toReversed()) {
    if (slice.isOver) await slice.yield();
    for (const { rows, far } of timePieces(block, {
      version: view.version,
      leaf: leaf.index,
      isNewest,
    })) {
      // Distance in the direction of reading: the smaller, the earlier its rows are among the first.
      nearest.add(isNewest ? -far : far, rows);
    }
  }
  const distance = nearest.farthest;
  return distance === undefined || !isNewest ? distance : -distance;
}

interface TimePiece {
  readonly rows: number;
  /** The end of its range that is read last. */
  readonly far: bigint;
}

/** Row groups, or whole files, of which the range is known and no time is null. */
function* timePieces(
  block: FileBlock,
  options: { readonly version: number; readonly leaf: number; readonly isNewest: boolean },
): Generator<TimePiece> {
  const { version, leaf, isNewest } = options;
  const needed = leafFacts.hasMin | leafFacts.hasMax | leafFacts.noNulls;
  for (let slot = 0; slot < block.length; slot += 1) {
    if (!block.isVisible(slot, version)) continue;
    const start = block.groupStart(slot);
    const end = block.groupEnd[slot] ?? 0;
    const entries = start === end ? block.files : block.groups;
    const times = entries.leaves[leaf];
    if (times === undefined) return;
    const first = start === end ? slot : start;
    const last = start === end ? slot + 1 : end;
    for (let index = first; index < last; index += 1) {
      if (!times.has(index, needed)) continue;
      const far = (isNewest ? times.min[index] : times.max[index]) ?? 0n;
      yield { rows: entries.rows[index] ?? 0, far };
    }
  }
}

interface Piece {
  readonly distance: bigint;
  readonly rows: number;
}

/** Keeps the nearest pieces that together have enough rows, as a heap with the farthest on top. */
class NearestPieces {
  readonly #wanted: number;
  readonly #heap: Piece[] = [];
  #rows = 0;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** Distance of the farthest piece needed; undefined as long as there are too few rows. */
  get farthest(): bigint | undefined {
    return this.#rows < this.#wanted ? undefined : this.#heap[0]?.distance;
  }

  add(distance: bigint, rows: number): void {
    const farthest = this.farthest;
    if (farthest !== undefined && distance >= farthest) return;
    this.#push({ distance, rows });
    this.#rows += rows;
    let top = this.#heap[0];
    while (top !== undefined && this.#rows - top.rows >= this.#wanted) {
      this.#rows -= top.rows;
      this.#pop();
      top = this.#heap[0];
    }
  }

  #push(piece: Piece): void {
    const heap = this.#heap;
    let at = heap.push(piece) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || above.distance >= piece.distance) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = piece;
  }

  #pop(): void {
    const heap = this.#heap;
    const piece = heap.pop();
    if (piece === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const right = heap[child + 1];
      if (right !== undefined && right.distance > (heap[child]?.distance ?? right.distance)) {
        child += 1;
      }
      const below = heap[child];
      if (below === undefined || below.distance <= piece.distance) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = piece;
  }
}
