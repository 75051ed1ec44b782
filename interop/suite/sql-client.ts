import type { Health, SqlResponse } from '@varve/contract';

/** The API port as a script would use it. */
export class SqlClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(address: string, token?: string) {
    this.#url = `http://${address}`;
    this.#headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  async rows(sql: string): Promise<readonly (readonly unknown[])[]> {
    const response = await this.#post('json', sql);
    return ((await response.json()) as SqlResponse).rows;
  }

  /** The only value of a result with one row and one column. */
  async scalar(sql: string): Promise<unknown> {
    return (await this.rows(sql))[0]?.[0];
  }

  /** Rows as objects, while they arrive: for results that are too large to hold. */
  async *stream<T>(sql: string): AsyncGenerator<T> {
    const { body } = await this.#post('ndjson', sql);
    if (body === null) return;
    // Not `readline`: to that, a line also ends at U+2028, which JSON leaves as it is.
    let rest = '';
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as T;
    }
    if (rest !== '') throw new Error(`the answer ends within a row: ${rest.slice(0, 100)}`);
  }

  async health(): Promise<Health> {
    const response = await fetch(`${this.#url}/v1/health`, { headers: this.#headers });
    return (await response.json()) as Health;
  }

  async #post(format: 'json' | 'ndjson', sql: string): Promise<Response> {
    const response = await fetch(`${this.#url}/v1/sql?format=${format}`, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify({ sql }),
    });
    if (response.status === 200) return response;
    throw new Error(`${response.status} for ${sql}: ${await response.text()}`);
  }
}

/** A text as an SQL literal. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
