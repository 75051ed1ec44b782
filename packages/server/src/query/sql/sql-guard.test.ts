import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawEventsSchema } from '../../columns/index.ts';
import { toFailure } from '../engine/engine-failure.ts';
import { Planner } from '../engine/planner.ts';
import { harmlessStatements } from '../testing/harmless-sql.ts';
import { hostileStatements } from '../testing/hostile-sql.ts';
import { trickStatements } from '../testing/hostile-tricks.ts';
import {
  aggregateFunctions,
  refusedFunctionPrefixes,
  refusedFunctions,
  scalarFunctions,
} from './function-list.ts';

let directory: string;
let planner: Planner;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'varve-guard-'));
  planner = await Planner.open({
    role: 'planner',
    schemas: [rawEventsSchema],
    workDirectory: directory,
    dataDirectories: [],
    pipeDirectory: join(directory, 'pipes'),
    memoryLimitBytes: 256 * 1024 * 1024,
    threads: 1,
  });
});

afterAll(() => rm(directory, { recursive: true, force: true }));

const outcome = async (sql: string): Promise<string> => {
  try {
    await planner.plan(sql, [{ name: 'raw_events' }]);
    return 'accepted';
  } catch (error) {
    return toFailure(error).code;
  }
};

const allHostile = { ...hostileStatements, ...trickStatements };

describe('hostile statements', () => {
  for (const [kind, statements] of Object.entries(allHostile)) {
    test(`refuses every one of ${kind}`, { timeout: 60_000 }, async () => {
      expect(statements.length).toBeGreaterThan(5);
      const wrong: string[] = [];
      for (const sql of statements) {
        const code = await outcome(sql);
        if (code !== 'sql_not_allowed' && code !== 'sql_invalid')
          wrong.push(`${code}: ${sql.slice(0, 120)}`);
      }
      expect(wrong).toEqual([]);
    });
  }

  test('holds at least 500 of them, all different', () => {
    const all = Object.values(allHostile).flat();
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(500);
  });
});

test('accepts what only looks hostile', async () => {
  const wrong: string[] = [];
  for (const sql of harmlessStatements) {
    const code = await outcome(sql);
    if (code !== 'accepted') wrong.push(`${code}: ${sql.slice(0, 120)}`);
  }
  expect(wrong).toEqual([]);
}, 60_000);

test('names the place of what it refuses', async () => {
  const refused = planner.plan("SELECT 1, getenv('A') FROM raw_events", [{ name: 'raw_events' }]);
  await expect(refused).rejects.toMatchObject({
    code: 'sql_not_allowed',
    details: { function: 'getenv', position: 10 },
  });
  const invalid = planner.plan('SELECT 1 FORM raw_events x', [{ name: 'raw_events' }]);
  await expect(invalid).rejects.toMatchObject({ code: 'sql_invalid', details: { position: 14 } });
});

test('refuses every table to a caller who may see none', async () => {
  await expect(planner.plan('SELECT 1 FROM raw_events', [])).rejects.toMatchObject({
    code: 'sql_not_allowed',
  });
});

test('has looked at every function the engine has', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const result = await connection.runAndReadAll(
    "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('scalar', 'aggregate', 'macro')",
  );
  const names = result.getRows().map((row) => String(row[0]));
  expect(names.length).toBeGreaterThan(500);
  const unknown = names.filter(
    (name) =>
      !scalarFunctions.has(name) &&
      !aggregateFunctions.has(name) &&
      !refusedFunctions.has(name) &&
      !refusedFunctionPrefixes.some((prefix) => name.startsWith(prefix)),
  );
  expect(unknown).toEqual([]);
  const both = [...refusedFunctions].filter(
    (name) => scalarFunctions.has(name) || aggregateFunctions.has(name),
  );
  expect(both).toEqual([]);
});
