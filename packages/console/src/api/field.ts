import type { JsonValue } from './lossless-json.ts';

/** Reads fields of an answer; a field of another shape is an error that names it, never a wrong value. */
export type JsonRecord = { readonly [key: string]: JsonValue };

export class AnswerShapeError extends Error {
  override readonly name = 'AnswerShapeError';
}

export function asRecord(value: JsonValue | undefined, name: string): JsonRecord {
  if (typeof value === 'object' && value !== null && !isArray(value)) return value;
  throw new AnswerShapeError(`the node's answer has no object in ${name}`);
}

export function asArray(value: JsonValue | undefined, name: string): readonly JsonValue[] {
  if (isArray(value)) return value;
  throw new AnswerShapeError(`the node's answer has no list in ${name}`);
}

export function stringField(record: JsonRecord, name: string): string {
  const value = record[name];
  if (typeof value === 'string') return value;
  throw new AnswerShapeError(`the node's answer has no text in ${name}`);
}

export function optionalString(record: JsonRecord, name: string): string | undefined {
  const value = record[name];
  return typeof value === 'string' ? value : undefined;
}

export function countField(record: JsonRecord, name: string): number {
  const value = record[name];
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  throw new AnswerShapeError(`the node's answer has no number in ${name}`);
}

export function optionalCount(record: JsonRecord, name: string): number | undefined {
  return record[name] === undefined || record[name] === null ? undefined : countField(record, name);
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
