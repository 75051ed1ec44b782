import type { ErrorCode } from '@varve/contract';
import { NodeError } from '../../base/errors.ts';
import type { EngineFailure } from './protocol.ts';

/** Any failure in a query process, as data. Text of the engine that could name files stays internal. */
export function toFailure(error: unknown): EngineFailure {
  if (error instanceof NodeError) {
    const { code, message, details, internal } = error;
    return { code, message, details, internal };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { details: {}, internal: { engine: text }, ...classify(text) };
}

export const fromFailure = (failure: EngineFailure): NodeError =>
  new NodeError(failure.code, failure.message, {
    details: failure.details,
    internal: failure.internal,
  });

interface Classified {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Failures of the statement itself, which its author may read in full. */
const statementKinds =
  /^(?:Parser|Binder|Catalog|Conversion|Invalid Input|Out of Range|Mismatch Type|Constraint|Not implemented|Invalid type|Decimal|Divide by Zero|Syntax|Expression|Parameter not resolved) Error: /i;

function classify(text: string): Classified {
  if (/^Out of Memory Error/i.test(text)) {
    return { code: 'query_out_of_memory', message: 'the query needs more memory than it may use' };
  }
  if (/^INTERRUPT/i.test(text)) return { code: 'query_timeout', message: 'the query was stopped' };
  if (statementKinds.test(text)) {
    const line = text.slice(text.indexOf(': ') + 2).split('\n\nLINE ')[0] ?? text;
    return {
      code: 'sql_invalid',
      message: line.trim().replaceAll(/\s+/g, ' '),
      details: positionOf(text),
    };
  }
  if (/^IO Error/i.test(text))
    return { code: 'query_engine_failed', message: 'a data file could not be read' };
  return { code: 'query_engine_failed', message: 'the query engine failed' };
}

function positionOf(text: string): Readonly<Record<string, unknown>> {
  const line = /\nLINE (\d+): /.exec(text)?.[1];
  return line === undefined ? {} : { line: Number(line) };
}
