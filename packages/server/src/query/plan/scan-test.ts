import { leafFacts, type FileBlock, type LeafLayout, type LeafStats } from '../../lake/index.ts';
import { mayMatch, type Predicate } from './predicate.ts';

type LeafTest = (leaf: LeafStats, index: number) => boolean;

interface TestOfLeaf {
  readonly leaf: number;
  readonly test: LeafTest;
}

/** Decides by statistics which files and row groups can hold a row that satisfies a set of predicates. */
export class ScanTest {
  readonly #fileTests: readonly TestOfLeaf[];
  readonly #groupTests: readonly TestOfLeaf[];

  constructor(layout: LeafLayout, predicates: readonly Predicate[]) {
    const files: TestOfLeaf[] = [];
    const groups: TestOfLeaf[] = [];
    for (const predicate of predicates) {
      const leaves = layout.ofColumn(predicate.column);
      const [leaf] = leaves;
      if (leaf === undefined) continue; // not a column of the table: nothing is known of it
      if (leaves.length > 1) files.push({ leaf: leaf.index, test: mayHoldValues });
      else if (!leaf.isInteger) files.push({ leaf: leaf.index, test: textTest(predicate) });
      else {
        const test = integerTest(predicate);
        files.push({
          leaf: leaf.index,
          test: (stats, index) => mayHoldValues(stats, index) && test(stats, index),
        });
        // With texts it depends on the writer whether the engine skips row groups by them.
        groups.push({ leaf: leaf.index, test });
      }
    }
    this.#fileTests = files;
    this.#groupTests = groups;
  }

  get looksAtGroups(): boolean {
    return this.#groupTests.length > 0;
  }

  fileMayMatch(block: FileBlock, slot: number): boolean {
    if (block.files.rows[slot] === 0) return false;
    for (const { leaf, test } of this.#fileTests) {
      const stats = block.files.leaves[leaf];
      if (stats !== undefined && !test(stats, slot)) return false;
    }
    return true;
  }

  /** False for a row group the engine is sure to skip; it goes by minimum and maximum, not by null counts. */
  groupMayMatch(block: FileBlock, group: number): boolean {
    for (const { leaf, test } of this.#groupTests) {
      const stats = block.groups.leaves[leaf];
      if (stats !== undefined && !test(stats, group)) return false;
    }
    return true;
  }
}

/** A column the file does not have is all null there, and null satisfies no predicate. */
const mayHoldValues: LeafTest = (leaf, index) =>
  leaf.has(index, leafFacts.present) && !leaf.has(index, leafFacts.allNull);

function textTest(predicate: Predicate): LeafTest {
  return (leaf, index) => {
    if (!mayHoldValues(leaf, index)) return false;
    const min = leaf.minText[index];
    const max = leaf.maxText[index];
    return mayMatch(predicate, {
      values: 1,
      ...(min === undefined ? {} : { min }),
      ...(max === undefined ? {} : { max }),
    });
  };
}

function integerTest(predicate: Predicate): LeafTest {
  if (predicate.op === 'in') {
    const tests = predicate.values.map((value) =>
      integerTest({ column: predicate.column, op: '=', value }),
    );
    return (leaf, index) => tests.some((test) => test(leaf, index));
  }
  const { op, value } = predicate;
  if (typeof value !== 'bigint') return () => true;
  const minUpTo = (leaf: LeafStats, index: number, limit: bigint): boolean =>
    !leaf.has(index, leafFacts.hasMin) || (leaf.min[index] ?? 0n) <= limit;
  const maxFrom = (leaf: LeafStats, index: number, limit: bigint): boolean =>
    !leaf.has(index, leafFacts.hasMax) || (leaf.max[index] ?? 0n) >= limit;
  switch (op) {
    case '=':
      return (leaf, index) => minUpTo(leaf, index, value) && maxFrom(leaf, index, value);
    case '<':
      return (leaf, index) => minUpTo(leaf, index, value - 1n);
    case '<=':
      return (leaf, index) => minUpTo(leaf, index, value);
    case '>':
      return (leaf, index) => maxFrom(leaf, index, value + 1n);
    case '>=':
      return (leaf, index) => maxFrom(leaf, index, value);
  }
}
