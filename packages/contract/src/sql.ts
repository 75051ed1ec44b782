import { z } from 'zod';

export const sqlFormats = ['json', 'ndjson', 'csv'] as const;

export const sqlFormat = z.enum(sqlFormats);

/** Most a query may read when the request sets no limit (spec section 8): 100 GiB. */
export const DEFAULT_MAX_SCAN_BYTES = 100 * 2 ** 30;

/** Body of `POST /v1/sql`. Unknown fields are errors: a misspelled limit must not be ignored. */
export const sqlRequest = z.strictObject({
  sql: z
    .string()
    .refine((sql) => sql.trim() !== '', { message: 'must not be empty' })
    .meta({
      description: 'One SELECT over `raw_events`. Times are integer nanoseconds since 1970 UTC.',
    }),
  max_scan_bytes: z
    .int()
    .min(0)
    .optional()
    .meta({ description: 'Most bytes the query may read. 100 GiB when absent.' }),
  max_scan_seconds: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'Most seconds the query may take. No limit when absent.' }),
  confirm: z.boolean().optional().meta({ description: 'Run a query that exceeds its limit.' }),
  explain: z
    .boolean()
    .optional()
    .meta({ description: 'Answer with the bound and the plan, and run nothing.' }),
});

export const scanBound = z.object({
  bytes: z.number(),
  seconds: z.number(),
  files: z.int(),
  row_groups: z.int(),
  columns: z.array(z.object({ name: z.string(), bytes: z.number() })),
});

/** Answer of `POST /v1/sql` with `format=json`. 64-bit integers in `rows` are exact JSON integers. */
export const sqlResponse = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(z.array(z.unknown())),
  row_count: z.int(),
  scan: z.object({
    bound_bytes: z.number(),
    bound_seconds: z.number(),
    read_bytes: z.number(),
    files: z.int(),
    row_groups: z.int(),
  }),
  elapsed_seconds: z.number(),
});

/** Answer of `POST /v1/sql` with `explain: true`. */
export const sqlExplanation = z.looseObject({ bound: scanBound });

/** What a 412 problem document holds besides the members of every problem. */
export const scanLimitProblem = z.object({
  bound: scanBound,
  limit: z.object({ bytes: z.number().nullable(), seconds: z.number().nullable() }),
  suggestions: z.array(z.unknown()),
});

export type SqlFormat = z.infer<typeof sqlFormat>;
export type SqlRequest = z.infer<typeof sqlRequest>;
export type SqlResponse = z.infer<typeof sqlResponse>;
export type SqlExplanation = z.infer<typeof sqlExplanation>;
export type ScanBound = z.infer<typeof scanBound>;
export type ScanLimitProblem = z.infer<typeof scanLimitProblem>;
