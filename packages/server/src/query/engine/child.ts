import { writeFile } from 'node:fs/promises';
import { toFailure } from './engine-failure.ts';
import { Executor } from './executor.ts';
import { Planner } from './planner.ts';
import type { EngineReply, EngineRequest } from './protocol.ts';

/**
 * Entry of a query process. It lives as long as its channel to the node: when the node ends, however it ends, the
 * channel closes and nothing holds this process any more. Statements run on threads of the engine, so the event
 * loop stays free for interrupts.
 */
let planner: Planner | undefined;
let executor: Executor | undefined;

async function answer(request: Exclude<EngineRequest, { kind: 'interrupt' }>): Promise<unknown> {
  switch (request.kind) {
    case 'open':
      if (request.options.role === 'planner') planner = await Planner.open(request.options);
      else executor = await Executor.open(request.options);
      return null;
    case 'plan':
      return planner?.plan(request.sql, request.tables);
    case 'narrow':
      return (await planner?.narrow(request.sql, request.edits)) ?? null;
    case 'execute':
      return executor?.execute(request.id, request.execution);
  }
}

const send = (reply: EngineReply): void => {
  if (process.connected) process.send?.(reply);
};

process.on('message', (request: EngineRequest) => {
  if (request.kind === 'interrupt') {
    executor?.interrupt(request.id);
    return;
  }
  answer(request).then(
    (value) => send({ kind: 'done', id: request.id, value }),
    (error: unknown) => send({ kind: 'failed', id: request.id, failure: toFailure(error) }),
  );
});

// A query that still runs would keep the process alive; the node that asked for it is gone.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

// When memory runs out, the system should end this process before the node that takes events in.
await writeFile('/proc/self/oom_score_adj', '900').catch(() => undefined);
