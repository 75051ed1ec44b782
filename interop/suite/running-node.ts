import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { listenOptions } from './listen-options.ts';
import { childOf } from './process-tree.ts';
import { SqlClient } from './sql-client.ts';

const repository = join(import.meta.dirname, '../..');
const launcher = join(repository, 'bin/varve.js');

/** Secrets have no flags, so every setting travels as a variable. */
export type NodeSettings = Readonly<Record<string, string | number>>;

export interface StartOptions {
  /** Holds the node's data and its log; a later node on the same directory continues with the data. */
  readonly directory: string;
  /** Keys of the configuration, `storage.publish_interval_seconds`. */
  readonly settings?: NodeSettings;
}

/** A node as a user starts it, on free ports, in a process tree of its own. */
export class RunningNode implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  readonly #addresses: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly sql: SqlClient;

  private constructor(parts: {
    child: ChildProcess;
    exited: Promise<unknown[]>;
    addresses: Readonly<Record<string, string>>;
    options: StartOptions;
  }) {
    this.#child = parts.child;
    this.#exited = parts.exited;
    this.#addresses = parts.addresses;
    this.dataDir = dataDirOf(parts.options);
    const token = parts.options.settings?.['auth.query_api_token'];
    this.sql = new SqlClient(this.address('server'), token?.toString());
  }

  static async start(options: StartOptions): Promise<RunningNode> {
    const child = launch(options);
    const exited = endOf(child);
    const addresses = await readAddresses(child);
    if (addresses === undefined) {
      await exited;
      const log = readFileSync(logPathOf(options), 'utf8');
      throw new Error(`the node did not start:\n${log.slice(-2000)}`);
    }
    return new RunningNode({ child, exited, addresses, options });
  }

  /** Starts a node and kills it after a while, ready or not. Resolves when nothing of it is left. */
  static async startAndKill(options: StartOptions, afterMs: number): Promise<void> {
    const child = launch(options);
    const ended = endOf(child);
    child.stdout?.resume();
    await Promise.race([delay(afterMs), ended]);
    // The node does not outlive its launcher.
    child.kill('SIGKILL');
    await ended;
  }

  get #pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error('the node has no process');
    return pid;
  }

  /** `127.0.0.1:4318` of a listener, by the name the node gives it. */
  address(listener: string): string {
    const address = this.#addresses[listener];
    if (address === undefined) throw new Error(`the node has no listener ${listener}`);
    return address;
  }

  /** Asks the node to stop and resolves with its exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    const [code] = await this.#exited;
    return typeof code === 'number' ? code : null;
  }

  /** SIGKILL to the node itself, not to its launcher; resolves when nothing of it is left. */
  async kill(): Promise<void> {
    // Where the system does not tell the node's id, its launcher takes it along.
    process.kill(childOf(this.#pid) ?? this.#pid, 'SIGKILL');
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill();
  }
}

function launch(options: StartOptions): ChildProcess {
  mkdirSync(options.directory, { recursive: true });
  const log = openSync(logPathOf(options), 'a');
  const child = spawn(process.execPath, [launcher, 'start', '--print-addresses'], {
    stdio: ['ignore', 'pipe', log],
    env: environmentOf(options),
  });
  closeSync(log);
  return child;
}

/** Resolves with exit code and signal when no process holds the output any more: the launcher, the node, its children. */
function endOf(child: ChildProcess): Promise<unknown[]> {
  return once(child, 'close');
}

function logPathOf(options: StartOptions): string {
  return join(options.directory, 'node.log');
}

function dataDirOf(options: StartOptions): string {
  return join(options.directory, 'data');
}

/** No setting of the person who runs the suite may change what is checked. */
function environmentOf(options: StartOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VARVE_'));
  const settings = { data_dir: dataDirOf(options), 'log.level': 'warn', ...options.settings };
  return {
    ...Object.fromEntries(inherited),
    ...Object.fromEntries(listenOptions().map(({ variable }) => [variable, '127.0.0.1:0'])),
    ...Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [variableOf(key), String(value)]),
    ),
  };
}

function variableOf(key: string): string {
  return `VARVE_${key.toUpperCase().replaceAll('.', '__')}`;
}

/** Undefined when the node ends before it is ready. */
async function readAddresses(
  child: ChildProcess,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (child.stdout === null) throw new Error('the node has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdout.resume();
    return (JSON.parse(line) as { addresses: Record<string, string> }).addresses;
  }
  return undefined;
}
