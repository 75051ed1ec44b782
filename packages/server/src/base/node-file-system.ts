import * as fs from 'node:fs';
import * as fsPromises from 'node:fs/promises';
import type { FileSystem, OpenFile, OpenMode } from './file-system.ts';

const openFlags: Readonly<Record<OpenMode, string>> = {
  create: 'wx+',
  replace: 'w+',
  update: 'r+',
  read: 'r',
};

/** The operating system's file system. */
export const nodeFileSystem: FileSystem = {
  async open(path, mode) {
    const handle = await fsPromises.open(path, openFlags[mode]);
    return new NodeOpenFile(handle);
  },
  readdir: (path) => fsPromises.readdir(path),
  async mkdir(path) {
    await fsPromises.mkdir(path, { recursive: true });
  },
  rename: (from, to) => fsPromises.rename(from, to),
  link: (from, to) => fsPromises.link(from, to),
  unlink: (path) => fsPromises.unlink(path),
  async syncDirectory(path) {
    const handle = await fsPromises.open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

class NodeOpenFile implements OpenFile {
  readonly #handle: fsPromises.FileHandle;

  constructor(handle: fsPromises.FileHandle) {
    this.#handle = handle;
  }

  async write(pieces: readonly Uint8Array[], position: number): Promise<void> {
    let rest = pieces.filter((piece) => piece.byteLength > 0);
    let at = position;
    while (rest.length > 0) {
      const written = await this.#writeOnce(rest, at);
      at += written;
      rest = dropWritten(rest, written);
    }
  }

  /** The callback form: the promise form copies the list of buffers and costs more per call. */
  #writeOnce(pieces: readonly Uint8Array[], position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.writev(this.#handle.fd, [...pieces], position, (error, written) => {
        if (error === null) resolve(written);
        else reject(error);
      });
    });
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    let filled = 0;
    while (filled < target.byteLength) {
      const { bytesRead } = await this.#handle.read(
        target,
        filled,
        target.byteLength - filled,
        position + filled,
      );
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  truncate(length: number): Promise<void> {
    return this.#handle.truncate(length);
  }

  syncData(): Promise<void> {
    return this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** What is left of a list of pieces once its first `written` bytes are on file. */
function dropWritten(pieces: readonly Uint8Array[], written: number): Uint8Array[] {
  const rest: Uint8Array[] = [];
  let skip = written;
  for (const piece of pieces) {
    if (skip >= piece.byteLength) skip -= piece.byteLength;
    else {
      rest.push(skip === 0 ? piece : piece.subarray(skip));
      skip = 0;
    }
  }
  return rest;
}
