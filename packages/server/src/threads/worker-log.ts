import { createLogger, type Logger } from '../telemetry/index.ts';

/** How a worker's logger is made; plain data. */
export interface WorkerLogOptions {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'human';
}

export function workerLogger(options: WorkerLogOptions, module: string): Logger {
  return createLogger(options).child({ module });
}
