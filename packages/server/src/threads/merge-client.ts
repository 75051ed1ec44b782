import { fork, type ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NodeError } from '../base/errors.ts';
import { RpcClient } from '../base/rpc.ts';
import { processChannel } from './channel.ts';
import type { MergeCalls } from './merge-process.ts';

/**
 * Runs each merge in a fresh process, which gives its memory back when it ends. One at a time per `directory`: what
 * an earlier one that was killed spilled there is removed.
 */
export async function mergeInProcess(
  request: Omit<MergeCalls['merge']['argument'], 'spillDirectory'> & { readonly directory: string },
): Promise<void> {
  const { directory, ...merge } = request;
  const spillDirectory = join(directory, 'spill');
  await rm(spillDirectory, { recursive: true, force: true });
  const child: ChildProcess = fork(fileURLToPath(new URL('merge-process.ts', import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const client = new RpcClient<MergeCalls>(processChannel(child));
  child.once('error', (cause) => client.fail(mergeFailed(cause)));
  child.once('exit', (code, signal) => client.fail(mergeFailed({ code, signal })));
  try {
    await client.call('merge', { ...merge, spillDirectory });
  } finally {
    child.kill('SIGKILL');
  }
}

function mergeFailed(cause: unknown): NodeError {
  return new NodeError(
    'storage_unavailable',
    'merging sealed files failed; it will be tried again',
    {
      internal: { cause },
    },
  );
}
