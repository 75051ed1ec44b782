import { assert } from '../../base/assert.ts';
import type { TableSchema } from '../../columns/index.ts';
import type { DataFileStats } from '../data-file.ts';
import { blockFiles, FileBlock } from './file-block.ts';
import { LeafLayout } from './leaf-layout.ts';

/** The files of a table at one moment; it stays as it is while the table changes. */
export class FileView {
  readonly layout: LeafLayout;
  readonly blocks: readonly FileBlock[];
  readonly version: number;
  readonly fileCount: number;

  constructor(parts: {
    readonly layout: LeafLayout;
    readonly blocks: readonly FileBlock[];
    readonly version: number;
    readonly fileCount: number;
  }) {
    this.layout = parts.layout;
    this.blocks = parts.blocks;
    this.version = parts.version;
    this.fileCount = parts.fileCount;
  }

  /** One object per file: for a look at small tables. */
  *files(): Generator<{ readonly path: string; readonly rows: number }> {
    for (const block of this.blocks) {
      for (let slot = 0; slot < block.length; slot += 1) {
        if (!block.isVisible(slot, this.version)) continue;
        yield { path: block.paths[slot] ?? '', rows: block.files.rows[slot] ?? 0 };
      }
    }
  }
}

interface Place {
  readonly block: FileBlock;
  readonly slot: number;
}

export interface RemovedFile {
  readonly rows: number;
  readonly sizeBytes: number;
}

/**
 * Statistics of the files of a table, laid out so that a query over 100,000 of them is planned without blocking.
 * Adding, removing and taking a view cost the same whatever the size of the table.
 */
export class FileCatalog {
  readonly #layout: LeafLayout;
  readonly #places = new Map<string, Place>();
  #blocks: readonly FileBlock[] = [];
  #version = 0;
  #view: FileView | undefined;

  constructor(schema: TableSchema) {
    this.#layout = new LeafLayout(schema);
  }

  add(file: { readonly path: string; readonly stats: DataFileStats }): void {
    assert(!this.#places.has(file.path), 'a file is in the catalog once');
    this.#version += 1;
    const block = this.#openBlock();
    const slot = block.append(file.path, file.stats, this.#version);
    this.#places.set(file.path, { block, slot });
  }

  /** Undefined when the file is not there. */
  remove(path: string): RemovedFile | undefined {
    const place = this.#places.get(path);
    if (place === undefined) return undefined;
    const { block, slot } = place;
    this.#version += 1;
    this.#places.delete(path);
    block.remove(slot, this.#version);
    if (block.isFull && block.live <= blockFiles / 2) this.#dissolve(block);
    return { rows: block.files.rows[slot] ?? 0, sizeBytes: block.sizeBytes[slot] ?? 0 };
  }

  /** The same view as long as nothing changes. */
  view(): FileView {
    if (this.#view?.version === this.#version) return this.#view;
    this.#view = new FileView({
      layout: this.#layout,
      blocks: this.#blocks,
      version: this.#version,
      fileCount: this.#places.size,
    });
    return this.#view;
  }

  #openBlock(): FileBlock {
    const last = this.#blocks.at(-1);
    if (last !== undefined && !last.isFull) return last;
    const block = new FileBlock(this.#layout);
    this.#blocks = [...this.#blocks, block];
    return block;
  }

  /** Moves what is left of a block to the end; views taken before still read the block. */
  #dissolve(block: FileBlock): void {
    this.#blocks = this.#blocks.filter((other) => other !== block);
    for (let slot = 0; slot < block.length; slot += 1) {
      if (!block.isVisible(slot, this.#version)) continue;
      const target = this.#openBlock();
      const moved = target.appendFrom(block, slot, this.#version);
      this.#places.set(block.paths[slot] ?? '', { block: target, slot: moved });
    }
  }
}
