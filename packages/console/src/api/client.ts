import type { SqlRequest } from '@varve/contract';
import {
  readHealth,
  readProblem,
  readSqlAnswer,
  type Health,
  type Problem,
  type SqlAnswer,
} from './answer.ts';
import { AnswerShapeError } from './field.ts';
import { parseLosslessJson, type JsonValue } from './lossless-json.ts';

/** A call to the node that gave no result; `problem` is what the person should read. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail === '' ? problem.title : problem.detail);
    this.problem = problem;
  }
}

export interface ApiClientOptions {
  /** Ends with a slash; `v1/…` is resolved against it. */
  readonly baseUrl: string;
  readonly token: string | undefined;
}

export class ApiClient {
  readonly #options: ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  async health(signal: AbortSignal): Promise<Health> {
    return readHealth(await this.#call('v1/health', { signal }));
  }

  /** Aborting the signal closes the connection, which cancels the query on the node. */
  async sql(request: SqlRequest, signal: AbortSignal): Promise<SqlAnswer> {
    const json = await this.#call('v1/sql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
    return readSqlAnswer(json);
  }

  async #call(
    path: string,
    init: RequestInit & { readonly signal: AbortSignal },
  ): Promise<JsonValue> {
    const { baseUrl, token } = this.#options;
    const headers = new Headers(init.headers);
    headers.set('accept', 'application/json');
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    let status: number;
    let text: string;
    try {
      const response = await fetch(new URL(path, baseUrl), { ...init, headers, cache: 'no-store' });
      status = response.status;
      text = await response.text();
    } catch {
      init.signal.throwIfAborted();
      throw new ApiError(
        plainProblem(0, 'No answer', 'the node cannot be reached from this browser'),
      );
    }
    if (status >= 200 && status < 300) return parseLosslessJson(text);
    throw new ApiError(problemOf(status, text));
  }
}

function problemOf(status: number, text: string): Problem {
  try {
    return readProblem(status, parseLosslessJson(text));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof AnswerShapeError)) throw error;
    return plainProblem(status, `Status ${status}`, text.slice(0, 300));
  }
}

function plainProblem(status: number, title: string, detail: string): Problem {
  return { status, code: undefined, title, detail, requestId: undefined, scanLimit: undefined };
}

/** Any failure as something to show. */
export function problemFrom(error: unknown): Problem {
  if (error instanceof ApiError) return error.problem;
  const message = error instanceof Error ? error.message : String(error);
  return plainProblem(0, 'The answer could not be read', message);
}

/** The API is beside the console, or one level up when the console is served under `/console/`. */
export function apiBaseUrl(documentUrl: string): string {
  const folder = new URL('./', documentUrl);
  return folder.pathname.endsWith('/console/') ? new URL('../', folder).href : folder.href;
}
