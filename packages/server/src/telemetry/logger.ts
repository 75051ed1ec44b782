import { pino, stdSerializers, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { NodeError } from '../base/errors.ts';
import { HumanLogStream } from './human-log.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  readonly level: string;
  readonly format: 'auto' | 'json' | 'human';
  /** Where lines go; stderr when absent. */
  readonly destination?: DestinationStream;
}

/** Field names whose values never reach the log, wherever a caller puts them (one level deep). */
const SECRET_FIELDS = ['authorization', 'cookie', 'token', 'tokens', 'password', 'secret'];

/**
 * The root logger. Modules get a child: `logger.child({ module: 'wal' })`. Messages are lower-case and
 * without a final full stop; data goes into fields. Lines are written synchronously, so none is lost
 * when the process ends.
 */
export function createLogger(options: LoggerOptions): Logger {
  const stderr = pino.destination({ dest: 2, sync: true });
  const destination = options.destination ?? stderr;
  const isHuman =
    options.format === 'human' || (options.format === 'auto' && process.stderr.isTTY === true);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]),
        censor: '[redacted]',
      },
    },
    isHuman ? new HumanLogStream(destination) : destination,
  );
}

/** Logs the codes and data of our own errors, and the stack only of what was not expected. */
function serializeError(error: unknown): unknown {
  if (error instanceof NodeError) {
    return {
      code: error.code,
      message: error.message,
      details: error.details,
      internal: error.internal,
      cause: error.cause instanceof Error ? error.cause.message : undefined,
    };
  }
  return error instanceof Error ? stdSerializers.err(error) : error;
}
