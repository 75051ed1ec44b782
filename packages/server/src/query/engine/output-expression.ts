import {
  DuckDBListType,
  DuckDBArrayType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId,
  type DuckDBType,
} from '@duckdb/node-api';
import { quoteName, quoteText } from './sql-text.ts';

/**
 * The expression that prints a value of the type as JSON. Floating point values that JSON cannot hold become
 * null, at any depth; JSON text is printed as a string, since the engine admits texts other parsers refuse.
 */
export function jsonExpression(type: DuckDBType, value: string): string {
  return isSafe(type) ? value : rewrite(type, value, 0);
}

/** Nested values are JSON text in a CSV field. */
export function csvExpression(type: DuckDBType, value: string): string {
  switch (type.typeId) {
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
    case DuckDBTypeId.MAP:
    case DuckDBTypeId.STRUCT:
      return `CAST(to_json(${jsonExpression(type, value)}) AS VARCHAR)`;
    default:
      return value;
  }
}

const safeTypes: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.DECIMAL,
  DuckDBTypeId.VARCHAR,
  DuckDBTypeId.UUID,
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIME,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
  DuckDBTypeId.INTERVAL,
  DuckDBTypeId.ENUM,
  DuckDBTypeId.SQLNULL,
]);

function isSafe(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType)
    return isSafe(type.valueType);
  if (type instanceof DuckDBMapType) return isSafe(type.valueType) && isSafe(type.keyType);
  if (type instanceof DuckDBStructType) {
    return type.entryNames.every((name) => name !== '') && type.entryTypes.every(isSafe);
  }
  return safeTypes.has(type.typeId) && type.alias === undefined;
}

function rewrite(type: DuckDBType, value: string, depth: number): string {
  if (isSafe(type)) return value;
  if (type.typeId === DuckDBTypeId.DOUBLE || type.typeId === DuckDBTypeId.FLOAT) {
    return `CASE WHEN isfinite(${value}) THEN ${value} END`;
  }
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) {
    return eachOf(
      type.valueType,
      type instanceof DuckDBArrayType ? `list_transform(${value}, lambda kept: kept)` : value,
      depth,
    );
  }
  if (type instanceof DuckDBMapType && !isNested(type.keyType)) {
    const values = eachOf(type.valueType, `map_values(${value})`, depth);
    const keys = isSafe(type.keyType)
      ? `map_keys(${value})`
      : `CAST(map_keys(${value}) AS VARCHAR[])`;
    return `CASE WHEN ${value} IS NOT NULL THEN map(${keys}, ${values}) END`;
  }
  if (type instanceof DuckDBStructType && type.entryNames.every((name) => name !== '')) {
    const members = type.entryTypes.map((entry, i) => {
      const name = type.entryNames[i] ?? '';
      return `${quoteName(name)} := ${rewrite(entry, `struct_extract(${value}, ${quoteText(name)})`, depth)}`;
    });
    return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`;
  }
  return `CAST(${value} AS VARCHAR)`;
}

function eachOf(type: DuckDBType, list: string, depth: number): string {
  const item = `item${String(depth)}`;
  return `list_transform(${list}, lambda ${item}: ${rewrite(type, item, depth + 1)})`;
}

const isNested = (type: DuckDBType): boolean =>
  type instanceof DuckDBListType ||
  type instanceof DuckDBArrayType ||
  type instanceof DuckDBMapType ||
  type instanceof DuckDBStructType;
