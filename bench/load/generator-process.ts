/** The load generator as a process of its own, so that its work and its memory are never taken for the node's. */
import { encodings } from '../workload/encodings.ts';
import { makePool } from '../workload/request-pool.ts';
import type { FromGenerator, GeneratorOptions, ToGenerator } from './messages.ts';
import { runLoad } from './run-load.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as GeneratorOptions;
const pool = makePool({ ...options, encoding: encodings[options.protocol] });

function reply(message: FromGenerator): void {
  process.send?.(message);
}

process.on('disconnect', () => process.exit(1));
process.on('message', (message: ToGenerator) => {
  if (message.kind === 'stop') {
    process.disconnect();
    return;
  }
  runLoad(pool, message.load).then(
    (outcome) => reply({ kind: 'done', outcome }),
    (error: unknown) => reply({ kind: 'failed', message: String(error) }),
  );
});

const events = pool.reduce((sum, request) => sum + request.events, 0);
const bytes = pool.reduce((sum, request) => sum + request.bodyBytes, 0);
reply({ kind: 'ready', bodyBytesPerEvent: bytes / events });
