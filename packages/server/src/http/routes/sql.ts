import type { FastifyInstance, FastifyReply } from 'fastify';
import { sqlFormats, sqlRequest, type SqlFormat } from '@varve/contract';
import type { Logger } from '../../telemetry/index.ts';
import type { SqlService } from '../ports.ts';
import { malformed, parseWith } from '../problem.ts';
import { streamBody } from '../stream-body.ts';

export interface SqlRouteOptions {
  readonly sql: SqlService;
  /** Aborted when the node gives up waiting for running queries. */
  readonly stopping: AbortSignal;
  readonly logger: Logger;
  readonly stallMs: number;
}

const BODY_TYPES: Readonly<Record<SqlFormat, string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** `POST /v1/sql`, spec section 4. */
export function registerSqlRoute(app: FastifyInstance, options: SqlRouteOptions): void {
  app.post<{ Querystring: { format?: unknown } }>(
    '/v1/sql',
    {
      config: { permission: 'sql.run', needsReadyNode: true },
      onRequest: async (request) => {
        readFormat(request.query.format);
      },
    },
    async (request, reply) => {
      const format = readFormat(request.query.format);
      const run = { ...parseWith(sqlRequest, request.body), format };
      const gone = new AbortController();
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) gone.abort(new Error('the client went away'));
      });
      const signal = AbortSignal.any([gone.signal, options.stopping]);
      const outcome = await options.sql.run(run, {
        signal,
        principal: request.principal,
        requestId: request.id,
        remoteAddress: request.ip,
      });
      if (outcome.kind === 'explained') return outcome.explanation;
      setDownloadHeaders(reply, format, request.id);
      const cutBody = await streamBody(reply, outcome.stream, {
        signal,
        stallMs: options.stallMs,
      });
      if (cutBody !== undefined && !gone.signal.aborted) {
        const fields = { err: cutBody.cause, request_id: request.id };
        options.logger.warn(fields, 'the answer failed after it began and was cut');
      }
      return reply;
    },
  );
}

function setDownloadHeaders(reply: FastifyReply, format: SqlFormat, requestId: string): void {
  reply.header('content-type', BODY_TYPES[format]);
  if (format === 'json') return;
  const name = `varve-${requestId.replace(/[^\w.-]/g, '_').slice(0, 64)}.${format}`;
  reply.header('content-disposition', `attachment; filename="${name}"`);
}

/** An unknown format is refused before the body is read (spec section 4, rule 5). */
function readFormat(value: unknown): SqlFormat {
  if (value === undefined) return 'json';
  const format = sqlFormats.find((known) => known === value);
  if (format !== undefined) return format;
  throw malformed([{ path: 'format', message: `expected one of ${sqlFormats.join(', ')}` }]);
}
