import { constants, setPriority } from 'node:os';
import { DuckDBInstance } from '@duckdb/node-api';
import { RpcServer } from '../base/rpc.ts';
import { rawEventsSchema } from '../columns/index.ts';
import { mergeSql } from '../parquet/index.ts';
import { processChannel } from './channel.ts';

/** Merging and sorting Parquet files, in a process of its own: it may need much memory, or even die of it. */
export type MergeCalls = {
  merge: {
    argument: {
      sources: readonly string[];
      target: string;
      memoryLimitBytes: number;
      spillDirectory: string;
    };
    result: void;
  };
};

// Ingest and queries go first; the threads that merge start later and inherit it.
setPriority(constants.priority.PRIORITY_LOW);

// The parent is gone: nobody would learn of the result.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

new RpcServer<MergeCalls>(processChannel(process), {
  async merge({ sources, target, memoryLimitBytes, spillDirectory }) {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${memoryLimitBytes}B`,
      temp_directory: spillDirectory,
      preserve_insertion_order: 'false',
    });
    const connection = await instance.connect();
    try {
      await connection.run(mergeSql(rawEventsSchema, { sources, target }));
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  },
});
