import { join } from 'node:path';
import { z } from 'zod';
import { readFile, removeFile, writeFileDurably } from '../base/durable-file.ts';
import type { FileSystem } from '../base/file-system.ts';

// Holds: publish/<commit id>.json, which sealed files become which objects under which commit id.
// Written by: the publisher alone, before the first object is uploaded; marked when the commit is known to have
//   succeeded; removed after the sealed files it names are gone.
// A crash leaves: at most one intent that is not marked. Its commit happened (its sealed files are dropped) or did
//   not (the same intent is carried out again; objects and commit are idempotent by key and commit id). So a
//   commit whose outcome was never learnt is not made twice.
// Size bound: one small file per publish whose sealed files a running query still reads, plus one.

const suffix = '.json';

const intentSchema = z.object({
  commitId: z.uuid(),
  isCommitted: z.boolean(),
  files: z.array(z.object({ key: z.string(), segmentIds: z.array(z.string()).min(1) })).min(1),
});

export type PublishIntent = z.infer<typeof intentSchema>;

export class PublishIntents {
  readonly #fileSystem: FileSystem;
  readonly #directory: string;

  constructor(fileSystem: FileSystem, directory: string) {
    this.#fileSystem = fileSystem;
    this.#directory = directory;
  }

  async list(): Promise<PublishIntent[]> {
    const names = await this.#fileSystem.readdir(this.#directory);
    return Promise.all(
      names.filter((name) => name.endsWith(suffix)).map((name) => this.#read(name)),
    );
  }

  async write(intent: PublishIntent): Promise<void> {
    await writeFileDurably(
      this.#fileSystem,
      join(this.#directory, intent.commitId + suffix),
      Buffer.from(JSON.stringify(intent)),
    );
  }

  async remove(commitId: string): Promise<void> {
    await removeFile(this.#fileSystem, join(this.#directory, commitId + suffix));
    await this.#fileSystem.syncDirectory(this.#directory);
  }

  async #read(name: string): Promise<PublishIntent> {
    const bytes = await readFile(this.#fileSystem, join(this.#directory, name));
    return intentSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  }
}
