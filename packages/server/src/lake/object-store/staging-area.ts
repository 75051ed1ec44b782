import { randomUUID } from 'node:crypto';
import { constants, readdirSync, statSync, unlinkSync } from 'node:fs';
import { copyFile, link, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { isErrorCode, isProcessGone, makeDirectoryDurable, syncFile } from './file-system.ts';

/** Files of writers that cannot be looked up (another host) are leftovers after this time. */
const LEFTOVER_AGE_MS = 3_600_000;
/** File times and the process start are taken from different clocks. */
const START_TOLERANCE_MS = 2_000;

/**
 * A directory for files on their way to becoming objects: written and fsynced here, then linked or renamed
 * away. Names carry the writer's process id. `open` removes leftovers of writers that are gone.
 */
export class StagingArea {
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(directory: string): Promise<StagingArea> {
    await makeDirectoryDurable(directory);
    sweep(directory);
    return new StagingArea(directory);
  }

  /** Path of a new, fsynced file with this content. */
  async write(body: Uint8Array): Promise<string> {
    return this.#create(async (path) => {
      const handle = await open(path, 'wx');
      try {
        await handle.writeFile(body);
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
  }

  /** Path of an fsynced link to a file or, on another device, of a copy. */
  async adopt(source: string): Promise<string> {
    return this.#create(async (path) => {
      await linkOrCopy(source, path);
      await syncFile(path);
    });
  }

  async discard(path: string): Promise<void> {
    await unlink(path).catch(() => undefined);
  }

  async #create(fill: (path: string) => Promise<void>): Promise<string> {
    const path = join(this.#directory, `${process.pid}-${randomUUID()}`);
    try {
      await fill(path);
      return path;
    } catch (error) {
      await this.discard(path);
      throw error;
    }
  }
}

async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!isErrorCode(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}

function sweep(directory: string): void {
  const nowMs = systemClock.nowMs();
  const startedMs = nowMs - process.uptime() * 1000 - START_TOLERANCE_MS;
  for (const name of readdirSync(directory)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1]);
    const path = join(directory, name);
    try {
      const { ctimeMs } = statSync(path);
      // After a restart the process id may be the same again, as it always is in a container.
      const isWriterGone = pid === process.pid ? ctimeMs < startedMs : isProcessGone(pid);
      if (isWriterGone || nowMs - ctimeMs > LEFTOVER_AGE_MS) unlinkSync(path);
    } catch (error) {
      if (!isErrorCode(error, 'ENOENT')) throw error;
    }
  }
}
