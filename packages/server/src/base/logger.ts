/** The part of the logger that modules below the composition root use; data goes into `fields`. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For callers that have no logger, tests above all. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };
