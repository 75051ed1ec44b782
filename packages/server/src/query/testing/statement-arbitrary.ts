import fc from 'fast-check';

/** Values of the text columns of the files under test, and what they are compared with. */
export const strings = [
  '',
  'a',
  'svc1',
  'svc2',
  'svc3',
  "it's",
  'é',
  'zz',
  '😀',
  '\uffff',
  'line\nbreak',
  "x' AND timestamp_ns<5",
  'OR',
  '%',
];
export const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const time = fc.oneof(
  fc.constantFrom(
    '999',
    '1000',
    '1001',
    '9999',
    '10000',
    '18999',
    '19000',
    '20000',
    '22999',
    '30001',
    '33000',
    '-5',
    '0',
    '9223372036854775000',
  ),
  fc.integer({ min: -10, max: 40_000 }).map(String),
);
const text = fc.constantFrom(...strings).map(quote);
const column = fc.constantFrom('service', 'host', 'env', 'body', 'tenant', "attributes['k']");
const comparison = fc.constantFrom('=', '<', '<=', '>', '>=', '<>', 'IS NOT DISTINCT FROM');
const list = (item: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => `(${items.join(', ')})`);

const atom = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(comparison, time).map(([op, value]) => `timestamp_ns ${op} ${value}`),
  },
  { weight: 4, arbitrary: fc.tuple(column, comparison, text).map((parts) => parts.join(' ')) },
  fc.tuple(time, time).map(([low, high]) => `timestamp_ns BETWEEN ${low} AND ${high}`),
  fc
    .tuple(fc.constantFrom('IN', 'NOT IN'), list(time))
    .map(([op, values]) => `timestamp_ns ${op} ${values}`),
  fc.tuple(column, fc.constantFrom('IN', 'NOT IN'), list(text)).map((parts) => parts.join(' ')),
  fc
    .tuple(
      column,
      fc.constantFrom("LIKE 'svc%'", "LIKE '%1%'", 'IS NULL', 'IS NOT NULL', "NOT LIKE 's_c1'"),
    )
    .map((parts) => parts.join(' ')),
  time.map((value) => `timestamp_ns + 1 > ${value}`),
  time.map((value) => `timestamp_ns::DOUBLE > ${value}.5`),
  time.map((value) => `CASE WHEN service = 'svc1' THEN timestamp_ns > ${value} ELSE false END`),
);

const condition = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 5, arbitrary: atom },
    fc
      .tuple(tie('node'), fc.constantFrom('AND', 'OR'), tie('node'))
      .map(([a, op, b]) => `(${a} ${op} ${b})`),
    tie('node').map((inner) => `NOT (${inner})`),
  ),
})).node;

const selection = fc.constantFrom(
  '*',
  'timestamp_ns, service',
  'body',
  'attributes',
  "attributes['k'] AS k, host",
  'count(*) AS n',
  'max(body) AS b, min(timestamp_ns) AS t',
);

/** Statements of every form that pruning and bounding look into. */
export const statement = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(selection, condition)
      .map(([what, where]) => `SELECT ${what} FROM raw_events WHERE ${where}`),
  },
  fc
    .tuple(condition, condition)
    .map(
      ([a, b]) =>
        `SELECT a.timestamp_ns, b.body FROM (SELECT * FROM raw_events WHERE ${a}) a JOIN (SELECT * FROM raw_events WHERE ${b}) b USING (timestamp_ns)`,
    ),
  fc
    .tuple(condition, condition)
    .map(
      ([a, b]) =>
        `WITH c AS (SELECT timestamp_ns, service, host FROM raw_events WHERE ${a}) SELECT service, count(*) AS n FROM c GROUP BY 1 UNION ALL SELECT host, 0 FROM c WHERE timestamp_ns IN (SELECT timestamp_ns FROM raw_events WHERE ${b})`,
    ),
  fc
    .tuple(condition, fc.constantFrom('DESC', 'ASC'), fc.integer({ min: 0, max: 60 }))
    .map(
      ([where, direction, limit]) =>
        `SELECT timestamp_ns FROM raw_events WHERE ${where} ORDER BY timestamp_ns ${direction} LIMIT ${String(limit)}`,
    ),
  fc
    .tuple(
      fc.constantFrom('DESC', 'ASC', 'DESC NULLS FIRST', 'ASC NULLS LAST'),
      fc.integer({ min: 0, max: 5000 }),
      fc.integer({ min: 0, max: 50 }),
    )
    .map(
      // Of rows of one time either may be among the first, so nothing that tells them apart is shown.
      ([direction, limit, offset]) =>
        `SELECT timestamp_ns, length(coalesce(body, '')) >= 0 AS n FROM raw_events ORDER BY timestamp_ns ${direction} LIMIT ${String(limit)} OFFSET ${String(offset)}`,
    ),
  condition.map(
    (where) =>
      `SELECT host, count(DISTINCT service) AS n FROM raw_events r WHERE r.timestamp_ns < 1200 AND EXISTS (SELECT 1 FROM raw_events s WHERE s.timestamp_ns = r.timestamp_ns + 1 AND ${where.replaceAll('timestamp_ns', 's.timestamp_ns')}) GROUP BY 1`,
  ),
);
