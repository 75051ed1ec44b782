import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NodeError } from '../base/errors.ts';
import { RpcClient } from '../base/rpc.ts';
import { processChannel } from './channel.ts';
import type { MergeCalls } from './merge-process.ts';

/** Runs each merge in a fresh process, which gives its memory back when it ends. */
export async function mergeInProcess(request: MergeCalls['merge']['argument']): Promise<void> {
  const child: ChildProcess = fork(fileURLToPath(new URL('merge-process.ts', import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const client = new RpcClient<MergeCalls>(processChannel(child));
  child.once('error', (cause) => client.fail(mergeFailed(cause)));
  child.once('exit', (code, signal) => client.fail(mergeFailed({ code, signal })));
  try {
    await client.call('merge', request);
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
