import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openSqlClient, type SqlClient } from './sql-client.ts';

const mainPath = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));

export interface StartOptions {
  /** Everything of this node is below it. */
  readonly directory: string;
  /** Keys of the configuration, `storage.publish_interval_seconds`. */
  readonly config?: Readonly<Record<string, string | number>>;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A real node in a process of its own, on free ports, with the defaults of the product but for what is given. */
export class NodeProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #addresses: Readonly<Record<string, string>>;
  readonly dataDir: string;
  /** From the start of the process until it said that it is ready. */
  readonly startMs: number;
  readonly sql: SqlClient;

  private constructor(parts: {
    child: ChildProcess;
    exited: Promise<unknown>;
    addresses: Readonly<Record<string, string>>;
    dataDir: string;
    startMs: number;
  }) {
    this.#child = parts.child;
    this.#exited = parts.exited;
    this.#addresses = parts.addresses;
    this.dataDir = parts.dataDir;
    this.startMs = parts.startMs;
    this.sql = openSqlClient(this.address('server'));
  }

  static async start({ directory, config = {} }: StartOptions): Promise<NodeProcess> {
    mkdirSync(directory, { recursive: true });
    const dataDir = join(directory, 'data');
    const settings = {
      data_dir: dataDir,
      'server.listen': '127.0.0.1:0',
      'ingest.otlp.http.listen': '127.0.0.1:0',
      'ingest.bulk.listen': '127.0.0.1:0',
      'ingest.loki.listen': '127.0.0.1:0',
      'ingest.hec.listen': '127.0.0.1:0',
      'ingest.gelf.udp_listen': 'off',
      'ingest.gelf.tcp_listen': 'off',
      'ingest.gelf.http_listen': 'off',
      'log.level': 'warn',
      ...config,
    };
    const flags = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, String(value)]);
    const logPath = join(directory, 'node.log');
    const log = openSync(logPath, 'a');
    const startedMs = performance.now();
    const child = spawn(process.execPath, [mainPath, 'start', '--print-addresses', ...flags], {
      stdio: ['ignore', 'pipe', log],
      env: environment(),
    });
    closeSync(log);
    const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
    const addresses = await readAddresses(child);
    if (addresses === undefined) {
      const [code, signal] = await exited;
      throw new Error(`the node ended (${signal ?? code}):\n${readFileSync(logPath, 'utf8')}`);
    }
    const startMs = performance.now() - startedMs;
    return new NodeProcess({ child, exited, addresses, dataDir, startMs });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Of a listener, by the name that the node gives it. */
  address(listener: string): Address {
    const [host = '', port = ''] = (this.#addresses[listener] ?? '').split(':');
    if (port === '') throw new Error(`the node has no listener ${listener}`);
    return { host, port: Number(port) };
  }

  /** Lets the node finish: afterwards everything is published. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#exited;
  }

  /** Ends the node as a crash would. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.sql.close();
    await this.kill();
  }
}

/** No setting of the person who runs the benchmark may change what is measured. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('VARVE_')),
  );
}

/** Undefined when the node ends without a word. */
async function readAddresses(
  child: ChildProcess,
): Promise<Readonly<Record<string, string>> | undefined> {
  if (child.stdout === null) throw new Error('the node has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    return (JSON.parse(line) as { addresses: Record<string, string> }).addresses;
  }
  return undefined;
}
