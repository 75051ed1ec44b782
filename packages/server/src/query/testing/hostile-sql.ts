/** Statements that must never run, by what they try. Each is refused before anything executes. */
const tableFunctions = [
  "read_csv('/etc/passwd')", "read_csv_auto('/etc/passwd')", "read_text('/etc/passwd')", "read_blob('/etc/shadow')",
  "read_json('/etc/x.json')", "read_json_auto('x')", "read_json_objects('x')", "read_ndjson('x')", "read_ndjson_auto('x')",
  "read_ndjson_objects('x')", "read_parquet('/tmp/*.parquet')", "parquet_scan('/tmp/*.parquet')", "parquet_metadata('x')",
  "parquet_schema('x')", "parquet_file_metadata('x')", "parquet_kv_metadata('x')", "parquet_full_metadata('x')",
  "parquet_bloom_probe('x', 'a', 1)", "glob('/**')", "sniff_csv('/etc/passwd')", "read_duckdb('x')", "query('SELECT 1')",
  "query_table('raw_events')", "query_table(['raw_events'])", 'duckdb_tables()', 'duckdb_settings()', 'duckdb_secrets()',
  'duckdb_functions()', 'duckdb_views()', 'duckdb_columns()', 'duckdb_databases()', 'duckdb_extensions()', 'duckdb_logs()',
  'duckdb_memory()', 'duckdb_temporary_files()', 'duckdb_variables()', 'duckdb_prepared_statements()', 'duckdb_optimizers()',
  'duckdb_external_file_cache()', 'duckdb_keywords()', 'duckdb_types()', 'duckdb_schemas()', 'duckdb_sequences()',
  'pragma_table_info(\'raw_events\')', 'pragma_version()', 'pragma_database_size()', 'pragma_show(\'raw_events\')',
  'pragma_storage_info(\'raw_events\')', 'pragma_platform()', 'pragma_user_agent()', 'pragma_collations()',
  "sql_auto_complete('SEL')", "json_execute_serialized_sql('{}')", "json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
  'test_all_types()', 'test_vector_types(1)', 'summary(raw_events)', 'checkpoint()', 'force_checkpoint()', 'enable_logging()',
  "disable_logging()", 'truncate_duckdb_logs()', 'enable_profiling()', 'disable_profiling()', "which_secret('s3://x', 's3')",
  "arrow_scan(1, 2, 3)", "seq_scan('raw_events')", "histogram('raw_events', 'body')", "histogram_values('raw_events', 'body')",
  'icu_calendar_names()', 'pg_timezone_names()', "iceberg_scan('x')", "sqlite_scan('x', 'y')", "postgres_scan('x', 'y', 'z')",
  "load_aws_credentials()", "st_read('x')", "read_xlsx('x')", "http_get('http://169.254.169.254/')", 'memory.main.range(3)',
].map((call) => `SELECT * FROM ${call}`);

const tables = [
  "'/etc/passwd'", "'file.csv'", "'s3://bucket/x.parquet'", "'https://example.com/x.csv'", '"/etc/passwd"', '"x.parquet"',
  '"*.parquet"', 'audit', 'alert_history', 'information_schema.tables', 'information_schema.columns', 'pg_catalog.pg_class',
  'pg_class', 'pg_tables', 'sqlite_master', 'sqlite_schema', 'sqlite_temp_master', 'duckdb_tables', 'duckdb_settings', 'duckdb_logs',
  'main.raw_events', 'memory.main.raw_events', 'temp.main.raw_events', 'temp.raw_events', 'system.main.duckdb_tables',
  'system.information_schema.tables', 'raw_events.attributes', 'other', '"raw_events "', '""', 'pragma_version',
  'main.sqlite_master', '"information_schema".tables', '"main"."raw_events"', 'rаw_events', "E'/etc/passwd'", '$$/etc/passwd$$',
  "'/data/' || 'x.parquet'", 'raw_events AT (VERSION => 1)', 'raw_events AT (TIMESTAMP => now())', "read_csv", 'unnest',
].map((name) => `SELECT * FROM ${name}`);

const calls = [
  "getenv('PATH')", "current_setting('memory_limit')", "getvariable('x')", "nextval('s')", "currval('s')", "setseed(0.5)",
  'current_query()', 'current_schemas(true)', 'current_database()', 'current_schema()', "in_search_path('a', 'b')", 'txid_current()',
  'version()', 'pg_sleep(10)', 'sleep_ms(10000)', "write_log('x')", "json_serialize_plan('SELECT * FROM raw_events')",
  "json_serialize_sql('SELECT 1')", "json_deserialize_sql('{}')", "parse_duckdb_log_message('x', 'y')", 'stats(1)',
  'current_connection_id()', 'current_query_id()', 'current_transaction_id()', "read_text('/etc/passwd')", "read_csv('x')",
  "query('SELECT 1')", "glob('*')", "pg_get_viewdef(1)", 'pg_get_constraintdef(1)', "has_table_privilege('a', 'b')",
  "obj_description(1, 'a')", 'pg_my_temp_schema()', 'inet_server_addr()', 'session_user()', "__internal_compress_string_ubigint('a')",
  "icu_collate_de('a')", "vector_type(1)", "make_type('a')", "cast_to_type('a', 1)", "get_type(1)", "st_astext(NULL)", 'load_extension(\'x\')',
  "getenv('HOME') || 'x'", "upper(getenv('HOME'))", "list_transform([1], x -> getenv('A'))", "CASE WHEN true THEN getenv('A') END",
  "(SELECT getenv('A'))", "[getenv('A')]", "{'a': getenv('A')}", "MAP {'a': getenv('A')}", "getenv('A')::INT", "getenv('A') IN (1)",
  "1 BETWEEN 0 AND getenv('A')", "sum(1) FILTER (WHERE getenv('A') = 'x')", "sum(1) OVER (ORDER BY getenv('A'))", "array_agg(1 ORDER BY getenv('A'))",
  "sum(1) OVER (PARTITION BY getenv('A'))", "EXISTS (SELECT * FROM read_csv('x'))", "ARRAY(SELECT content FROM read_text('/etc/passwd'))",
  "1 IN (SELECT 1 FROM 'x.csv')", "1 = ANY(SELECT 1 FROM duckdb_tables())", "'a'.getenv()", 'main.getenv(\'A\')', 'system.main.getenv(\'A\')',
  "COLUMNS(c -> getenv('A') = c)", "* REPLACE (getenv('A') AS body)", "lag(1, getenv('A')) OVER ()", "try(getenv('A'))", "coalesce(NULL, getenv('A'))",
  "getenv('A') COLLATE NOCASE", "list_reduce([1], lambda a, b: getenv('A'))", "[getenv('A') FOR x IN [1]]", 'GETENV(\'A\')', '"getenv"(\'A\')', 'GetEnv (\'A\')',
].map((expression) => `SELECT ${expression} FROM raw_events`);

const clauses = [
  "WHERE getenv('A') = ''", "GROUP BY getenv('A')", "GROUP BY ALL HAVING getenv('A') = ''", "QUALIFY row_number() OVER (ORDER BY getenv('A')) = 1",
  "ORDER BY getenv('A')", "LIMIT (SELECT count(*) FROM read_text('x'))", "LIMIT getenv('A')", "OFFSET getenv('A')",
  "WHERE body IN (SELECT content FROM read_text('/etc/passwd'))", ", LATERAL (SELECT * FROM read_csv(body)) x", ", read_text(body)",
  "JOIN 'x.csv' ON true", "JOIN raw_events r ON getenv('A') = r.body", 'SEMI JOIN duckdb_tables() d ON true', 'POSITIONAL JOIN sqlite_master',
  'ASOF JOIN duckdb_settings() s ON true', "UNION SELECT 1 FROM read_csv('x')", 'EXCEPT SELECT sql FROM sqlite_master', 'INTERSECT FROM duckdb_views()',
  ', (VALUES (getenv(\'A\'))) v', ", range((SELECT count(*) FROM 'x.csv')) r", ", unnest((SELECT list(content) FROM read_text('x'))) u",
  "ORDER BY ALL LIMIT 1; DROP TABLE raw_events", 'AS t(a), t.a', ", raw_events.body",
].map((clause) => `SELECT 1 FROM raw_events ${clause}`);

const shadowing = [
  "WITH x AS (SELECT * FROM read_csv('x')) SELECT 1", "WITH x AS (SELECT * FROM 'x.csv') SELECT * FROM x",
  'WITH "x.csv" AS (SELECT 1) SELECT * FROM "x.csv"', 'WITH "/etc/passwd" AS (SELECT 1) SELECT * FROM "/etc/passwd"',
  'WITH duckdb_tables AS (SELECT 1) SELECT * FROM duckdb_tables', 'WITH sqlite_master AS (SELECT 1) SELECT * FROM sqlite_master',
  'WITH pg_class AS (SELECT 1) SELECT * FROM pg_class', 'SELECT * FROM (WITH other AS (SELECT 1) SELECT 1) a, other',
  'WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a', 'WITH other AS (SELECT * FROM other) SELECT * FROM other',
  'SELECT (WITH other AS (SELECT 1) SELECT 1) FROM other', 'WITH a AS (SELECT 1) SELECT * FROM main.a', 'WITH a AS (SELECT 1) SELECT * FROM memory.a',
  "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1 FROM read_csv('x')) SELECT * FROM r", 'WITH "a*" AS (SELECT 1) SELECT * FROM "a*"',
  "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r, raw_events WHERE n < 9) SELECT * FROM r",
  "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT (SELECT count(*) FROM raw_events) + n FROM r WHERE n < 9) SELECT * FROM r",
  "WITH a AS MATERIALIZED (SELECT getenv('A')) SELECT * FROM a", "WITH a AS (INSERT INTO raw_events VALUES (1)) SELECT 1", 'WITH a AS (DELETE FROM raw_events RETURNING *) SELECT * FROM a',
];

const statements = [
  '', ' ', ';', '--', '/* SELECT 1 */', 'SELECT 1; SELECT 2', 'SELECT 1;;SELECT 2', 'SELECT 1; --\nDROP TABLE raw_events', 'SELECT', 'SELEC 1', 'SELECT (', "SELECT '",
  'CREATE TABLE t (a INT)', 'CREATE TABLE t AS SELECT 1', 'CREATE VIEW v AS SELECT 1', 'CREATE TEMP VIEW raw_events AS SELECT 1', 'CREATE MACRO m() AS 1',
  'CREATE FUNCTION f() AS 1', 'CREATE SEQUENCE s', "CREATE SECRET (TYPE s3)", 'CREATE SCHEMA s', 'CREATE TYPE t AS ENUM (\'a\')', 'CREATE INDEX i ON raw_events (body)',
  'INSERT INTO raw_events VALUES (1)', 'UPDATE raw_events SET body = 1', 'DELETE FROM raw_events', 'TRUNCATE raw_events', 'DROP VIEW raw_events', 'ALTER TABLE raw_events ADD COLUMN x INT',
  "COPY raw_events TO '/tmp/x.csv'", "COPY (SELECT 1) TO '/tmp/x'", "COPY raw_events FROM '/etc/passwd'", "EXPORT DATABASE '/tmp/x'", "IMPORT DATABASE '/tmp/x'",
  "ATTACH '/tmp/x.db'", "ATTACH ':memory:' AS m", 'DETACH memory', 'USE memory', "LOAD httpfs", 'INSTALL httpfs', "FORCE INSTALL 'x'", 'UPDATE EXTENSIONS',
  'SET memory_limit = \'1TB\'', 'SET GLOBAL threads = 64', 'SET VARIABLE x = 1', 'RESET threads', 'RESET lock_configuration', 'PRAGMA version', 'PRAGMA table_info(raw_events)',
  'PRAGMA enable_profiling', 'CALL duckdb_tables()', "CALL pragma_version()", 'CHECKPOINT', 'VACUUM', 'ANALYZE', 'BEGIN', 'COMMIT', 'ROLLBACK', 'PREPARE p AS SELECT 1', 'EXECUTE p',
  'DEALLOCATE p', 'EXPLAIN SELECT 1', 'EXPLAIN ANALYZE SELECT 1', 'DESCRIBE raw_events', 'DESCRIBE SELECT 1', 'SHOW TABLES', 'SHOW ALL TABLES', 'SHOW DATABASES', 'SUMMARIZE raw_events',
  'SELECT * FROM (DESCRIBE raw_events)', 'SELECT * FROM (SHOW TABLES)', 'SELECT * FROM (SUMMARIZE raw_events)', 'SELECT * FROM (SHOW ALL TABLES)', 'FROM (SHOW DATABASES)',
  'PIVOT raw_events ON service', 'SELECT ?', 'SELECT $1', 'SELECT $x', 'SELECT * INTO t FROM raw_events', 'MERGE INTO raw_events USING raw_events ON true WHEN MATCHED THEN DELETE',
  'COMMENT ON TABLE raw_events IS \'x\'', 'SELECT 1) AS q; DROP TABLE raw_events; --', 'SELECT 1) TO \'/tmp/x\' (FORMAT csv); --', 'SELECT 1 /*', 'SELECT 1 FROM raw_events) q, (SELECT 1',
  'SELECT \u0000 1', 'SELECT 1\u0000; DROP TABLE x', "SELECT 'a\u0000b'", 'GRANT ALL ON raw_events TO x', 'LISTEN x', 'DO $$ $$', 'HELP', '.tables', '\\copy', '{"select": 1}', 'SELECT * FROM',
  'TABLE duckdb_tables', 'TABLE sqlite_master', 'FROM duckdb_settings()', "FROM '/etc/passwd'", "VALUES (getenv('A'))", "VALUES ((SELECT content FROM read_text('x')))",
  'SELECT * FROM (PIVOT duckdb_tables() ON x IN (1) USING count(*))', "SELECT * FROM (PIVOT raw_events ON getenv('A') IN ('x') USING count(*))", 'SELECT * FROM (UNPIVOT sqlite_master ON name)',
];

const excessive = [
  `SELECT ${'1+'.repeat(20_000)}1`, `SELECT ${'abs('.repeat(2000)}1${')'.repeat(2000)}`, `SELECT ${'['.repeat(900)}1${']'.repeat(900)}`,
  `SELECT * FROM ${'(SELECT * FROM '.repeat(900)}raw_events${')'.repeat(900)}`, `SELECT '${'x'.repeat(300_000)}'`, `SELECT ${'['.repeat(3000)}${']'.repeat(3000)}`,
  `SELECT ${'NOT '.repeat(10_000)}true`, `SELECT CASE ${'WHEN true THEN CASE '.repeat(2000)}1`,
];

export const hostileStatements: Readonly<Record<string, readonly string[]>> = {
  tableFunctions, tables, calls, clauses, shadowing, statements, excessive,
};
