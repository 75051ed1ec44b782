import type { Installed } from '../suite/installation.ts';

export interface ShipperRun {
  /** Its own, for configuration and state. */
  readonly directory: string;
  /** A growing file whose lines it sends. */
  readonly inputPath: string;
  /** Port of the bulk listener on 127.0.0.1. */
  readonly bulkPort: number;
}

export interface ShipperCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A log shipper of others, as its users configure it. It sends as service `shop`, and each event with an id. */
export interface Shipper {
  readonly name: string;
  /** Column `source` of what it sends. */
  readonly source: string;
  /** Resolves with a folder that `configure` is given. */
  install(): Promise<Installed<string>>;
  /** Writes the configuration and tells how to run it in the foreground. */
  configure(root: string, run: ShipperRun): Promise<ShipperCommand>;
}
