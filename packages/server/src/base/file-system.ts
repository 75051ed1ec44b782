/**
 * The file system as modules that own durable data see it. One implementation talks to the operating system,
 * one simulates a disk for tests and can fail or lose power at any call.
 *
 * What the port promises, and no more:
 * - bytes written are readable at once, and durable only after a later `syncData` of the same file succeeded;
 * - a name created, renamed, linked or removed is durable only after `syncDirectory` of its directory;
 * - after a failed `syncData` nothing written since the last successful one may be trusted, and a further
 *   `syncData` that succeeds proves nothing about it: it has to be written again or cut off.
 *
 * Failures are the operating system's own errors (`code` is `ENOSPC`, `EIO`, `ENOENT`, …).
 */
export interface FileSystem {
  /**
   * `create` makes a new file for reading and writing and fails with `EEXIST` where there is one,
   * `replace` makes it or empties it, `update` opens an existing one for both, `read` for reading.
   */
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** Names in a directory, unordered. */
  readdir(path: string): Promise<string[]>;
  /** Parents included; an existing directory is a success. */
  mkdir(path: string): Promise<void>;
  /** Replaces what is at `to`. */
  rename(from: string, to: string): Promise<void>;
  /** Fails with `EEXIST` where there is something at `to`. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): Promise<void>;
}

export type OpenMode = 'create' | 'replace' | 'update' | 'read';

export interface OpenFile {
  /** Writes all pieces one after another from `position` on; on failure any part may have been written. */
  write(pieces: readonly Uint8Array[], position: number): Promise<void>;
  /** Fills `target` from `position` on; returns fewer bytes than asked only at the end of the file. */
  read(target: Uint8Array, position: number): Promise<number>;
  size(): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Makes bytes and length durable (`fdatasync`). */
  syncData(): Promise<void>;
  close(): Promise<void>;
}

const errnoForm = /^E[A-Z0-9]+$/;

/** The operating system's code of a file-system failure, or undefined for anything else. */
export function errnoCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  // Errors of ours and of the runtime have codes too, of another form.
  return typeof error.code === 'string' && errnoForm.test(error.code) ? error.code : undefined;
}
