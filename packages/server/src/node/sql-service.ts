import { rawEventsSchema } from '../columns/index.ts';
import type { SqlContext, SqlOutcome, SqlRun, SqlService } from '../http/index.ts';
import type { QueryRequest, QueryService, TableSource } from '../query/index.ts';

/** The query service behind `POST /v1/sql`. */
export function createSqlService(queries: QueryService, rawEvents: TableSource): SqlService {
  return {
    async run(run: SqlRun, context: SqlContext): Promise<SqlOutcome> {
      const prepared = await queries.run(toQueryRequest(run), {
        tables: [{ schema: rawEventsSchema, source: rawEvents }],
        owner: context.principal.name,
        signal: context.signal,
      });
      if (run.explain === true) {
        using explained = prepared;
        return { kind: 'explained', explanation: explained.explain() };
      }
      const result = await prepared.stream(run.format);
      // Failures reach the caller through the body; the summary rejects beside it.
      result.summary.catch(() => undefined);
      return { kind: 'rows', stream: result.body };
    },
  };
}

function toQueryRequest(run: SqlRun): QueryRequest {
  return {
    sql: run.sql,
    ...(run.max_scan_bytes !== undefined && { maxScanBytes: run.max_scan_bytes }),
    ...(run.max_scan_seconds !== undefined && { maxScanSeconds: run.max_scan_seconds }),
    ...(run.confirm !== undefined && { confirm: run.confirm }),
    ...(run.explain !== undefined && { explain: run.explain }),
  };
}
