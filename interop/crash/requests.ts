/** What the senders of the crash rounds send: OTLP and bulk requests, with stable ids and without. */
export interface RequestKind {
  readonly name: string;
  readonly listener: 'otlp_http' | 'bulk';
  readonly path: string;
  readonly contentType: string;
  /** Whether an event that is sent again must not be stored again. */
  readonly hasStableIds: boolean;
  encode(ids: readonly string[]): string;
  /** Whether every event of the request is stored, by the body of a 200. */
  isStored(answer: string): boolean;
}

export const requestKinds: readonly RequestKind[] = [true, false].flatMap((hasStableIds) => [
  otlpKind(hasStableIds),
  bulkKind(hasStableIds),
]);

/** The body of an event, by its id. */
export function bodyOf(id: string): string {
  return `body of ${id} ${'x'.repeat(id.length * 20)}`;
}

/** `bodyOf` in SQL. */
export const bodySql = `'body of ' || id || ' ' || repeat('x', length(id) * 20)`;

function otlpKind(hasStableIds: boolean): RequestKind {
  const name = hasStableIds ? 'otlp-id' : 'otlp';
  const attribute = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
  return {
    name,
    listener: 'otlp_http',
    path: '/v1/logs',
    contentType: 'application/json',
    hasStableIds,
    encode(ids) {
      const logRecords = ids.map((id) => ({
        timeUnixNano: `${Date.now()}000000`,
        body: { stringValue: bodyOf(id) },
        attributes: [
          attribute('crash_id', id),
          ...(hasStableIds ? [attribute('log.record.uid', id)] : []),
        ],
      }));
      const resource = { attributes: [attribute('service.name', name)] };
      return JSON.stringify({ resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] });
    },
    isStored: (answer) => answer === '{}',
  };
}

function bulkKind(hasStableIds: boolean): RequestKind {
  const name = hasStableIds ? 'bulk-id' : 'bulk';
  return {
    name,
    listener: 'bulk',
    path: '/_bulk',
    contentType: 'application/x-ndjson',
    hasStableIds,
    encode(ids) {
      const lines = ids.flatMap((id) => [
        { create: { _index: name, ...(hasStableIds ? { _id: id } : {}) } },
        { message: bodyOf(id), crash_id: id, 'service.name': name },
      ]);
      return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    },
    // 409: stored by a request whose answer never came.
    isStored(answer) {
      const { items } = JSON.parse(answer) as { items: { create: { status: number } }[] };
      return items.every(({ create: { status } }) => status === 201 || status === 409);
    },
  };
}
