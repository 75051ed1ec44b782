import { dirname } from 'node:path';
import { errnoCode, type FileSystem } from './file-system.ts';

/** Ending of files that are being written; owners of a directory remove them when they open it. */
export const temporarySuffix = '.tmp';

/** Creates or replaces a whole file: complete and durable under its name, or as it was before. */
export async function writeFileDurably(
  fileSystem: FileSystem,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const temporary = path + temporarySuffix;
  const file = await fileSystem.open(temporary, 'replace');
  try {
    await file.write([bytes], 0);
    await file.syncData();
  } finally {
    await file.close();
  }
  await fileSystem.rename(temporary, path);
  await fileSystem.syncDirectory(dirname(path));
}

export async function readFile(fileSystem: FileSystem, path: string): Promise<Uint8Array> {
  const file = await fileSystem.open(path, 'read');
  try {
    const bytes = new Uint8Array(await file.size());
    await file.read(bytes, 0);
    return bytes;
  } finally {
    await file.close();
  }
}

/** Removing what is not there is a success. Durable after the caller's `syncDirectory`. */
export async function removeFile(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.unlink(path);
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error;
  }
}
