import type { ChildProcess } from 'node:child_process';
import type { MessagePort, Worker } from 'node:worker_threads';
import type { Channel } from '../base/rpc.ts';

export function threadChannel(port: MessagePort | Worker): Channel {
  return {
    send: (message, transfer = []) => port.postMessage(message, [...transfer]),
    onMessage: (receive) => port.on('message', receive),
  };
}

/** The IPC channel of a child process, seen from either end; both use structured clone. */
export function processChannel(end: ChildProcess | NodeJS.Process): Channel {
  return {
    send(message) {
      // A peer that is gone is noticed by its exit; what was on its way to it is void.
      end.send?.(message as object, undefined, undefined, () => undefined);
    },
    onMessage: (receive) => end.on('message', receive),
  };
}
