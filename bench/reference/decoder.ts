import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { DecoderRun } from './decoder-process.ts';

/** What the decoder reaches alone: the same bytes to the same columns, in one thread, with nothing else going on. */
export async function decoderEventsPerSecond(run: DecoderRun): Promise<number> {
  const path = fileURLToPath(new URL('decoder-process.ts', import.meta.url));
  const child = fork(path, [JSON.stringify(run)]);
  const answer = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the decoder process ended without an answer');
    }),
  ])) as [number];
  return answer[0];
}
