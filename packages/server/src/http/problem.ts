import { STATUS_CODES } from 'node:http';
import type { z } from 'zod';
import {
  errorCodes,
  type ErrorCode,
  type FieldProblem,
  type ProblemDocument,
} from '@varve/contract';
import { NodeError } from '../base/errors.ts';

/** Largest request body of the API port; ingest listeners have limits of their own. */
export const API_BODY_LIMIT_BYTES = 1 << 20;

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** An answer that is not a success, ready to be written. */
export interface Problem {
  readonly document: ProblemDocument;
  readonly headers: Readonly<Record<string, string>>;
}

/** Turns whatever a route threw into a problem; what is not an expected failure shows nothing of itself. */
export function toProblem(error: unknown, requestId: string): Problem {
  const known = toNodeError(error);
  const { status, title } = errorCodes[known.code];
  const headers: Record<string, string> = {};
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  if (known.retryAfterMs !== undefined) {
    headers['retry-after'] = String(Math.max(1, Math.ceil(known.retryAfterMs / 1000)));
  }
  const allow = known.details['allow'];
  if (status === 405 && Array.isArray(allow)) headers['allow'] = allow.join(', ');
  return {
    document: {
      ...known.details,
      type: 'about:blank',
      title,
      status,
      code: known.code,
      detail: known.message,
      request_id: requestId,
    },
    headers,
  };
}

/** A body or parameter that does not fit its schema. */
export function malformed(errors: readonly FieldProblem[]): NodeError {
  return new NodeError('request_malformed', 'correct the fields listed in errors', {
    details: { errors },
  });
}

/** Parses with a schema of the contract. @throws NodeError `request_malformed` with each field at fault. */
export function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw malformed(parsed.error.issues.flatMap(toFieldProblems));
}

function toFieldProblems(issue: z.core.$ZodIssue): readonly FieldProblem[] {
  const path = issue.path.map(String).join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: path === '' ? key : `${path}.${key}`,
        message: 'unknown field',
      }));
    case 'invalid_type':
      return [
        { path, message: issue.input === undefined ? 'required' : lowerCased(issue.message) },
      ];
    default:
      return [{ path, message: lowerCased(issue.message) }];
  }
}

const lowerCased = (message: string): string =>
  message
    .replace(/^Invalid input: /, '')
    .replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

function toNodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  if (isFrameworkError(error)) return fromFramework(error);
  return new NodeError('node_internal', 'something went wrong inside the node; see its log', {
    cause: error,
  });
}

interface FrameworkError extends Error {
  readonly code: string;
  readonly statusCode: number;
}

function isFrameworkError(error: unknown): error is FrameworkError {
  return (
    error instanceof Error &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode < 500 &&
    'code' in error &&
    typeof error.code === 'string' &&
    error.code.startsWith('FST_')
  );
}

function fromFramework(error: FrameworkError): NodeError {
  switch (error.statusCode) {
    case 413:
      return new NodeError('request_body_too_large', 'send a smaller body', {
        details: { limit_bytes: API_BODY_LIMIT_BYTES },
        cause: error,
      });
    case 415:
      return new NodeError(
        'request_unsupported_media_type',
        'send the body with content-type: application/json',
        { cause: error },
      );
    case 404:
      return new NodeError('request_not_found', 'there is nothing at this path', { cause: error });
    default:
      return malformed([{ path: '', message: frameworkMessage(error) }]);
  }
}

function frameworkMessage(error: FrameworkError): string {
  switch (error.code) {
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return 'the body is empty; send a JSON object';
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return 'the body is not valid JSON';
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return 'the body is not as long as content-length says';
    default:
      return (STATUS_CODES[error.statusCode] ?? 'bad request').toLowerCase();
  }
}

/** A raw HTTP/1.1 answer for requests that the HTTP parser itself refused. */
export function renderRawProblem(
  error: Error & { readonly code?: string },
  requestId: string,
): string {
  const status = RAW_STATUS[error.code ?? ''] ?? 400;
  const title = STATUS_CODES[status] ?? 'Bad Request';
  const code: ErrorCode = 'request_malformed';
  const document = {
    type: 'about:blank',
    title,
    status,
    code,
    detail: 'the request is not valid http',
    request_id: requestId,
  };
  const body = JSON.stringify(document);
  return [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

const RAW_STATUS: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
