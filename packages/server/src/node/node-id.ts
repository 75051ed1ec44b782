import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readFile, writeFileDurably } from '../base/durable-file.ts';
import { errnoCode, type FileSystem } from '../base/file-system.ts';

/** The node's name among those on one bucket: made at the first start, kept in the data directory. */
export async function loadNodeId(fileSystem: FileSystem, dataDir: string): Promise<string> {
  const path = join(dataDir, 'node-id');
  try {
    const stored = Buffer.from(await readFile(fileSystem, path))
      .toString('utf8')
      .trim();
    if (stored !== '') return stored;
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error;
  }
  const nodeId = randomUUID();
  await writeFileDurably(fileSystem, path, Buffer.from(`${nodeId}\n`));
  return nodeId;
}
