// Preloaded into the node by bin/varve.js. File descriptor 3 is a pipe that the launcher holds open: when it
// closes, the launcher was killed without a chance to pass a signal on, and the node must not outlive it.
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

// The variable is deleted so that child processes of the node, which inherit the preload, leave their own descriptor 3 alone.
if (isMainThread && process.env['VARVE_LIFELINE'] === '1') {
  delete process.env['VARVE_LIFELINE'];
  new Socket({ fd: 3, readable: true, writable: false })
    .on('error', () => {})
    .on('close', () => process.kill(process.pid, 'SIGKILL'))
    .resume()
    .unref();
}
