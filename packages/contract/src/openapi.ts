import { z } from 'zod';
import { health } from './health.ts';
import { problemDocument } from './problem.ts';
import {
  DEFAULT_MAX_SCAN_BYTES,
  scanLimitProblem,
  sqlExplanation,
  sqlFormats,
  sqlRequest,
  sqlResponse,
} from './sql.ts';

type Json = Readonly<Record<string, unknown>>;

const schemaOf = (schema: z.ZodType, io: 'input' | 'output' = 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
};

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json): Json => ({ 'application/json': { schema } });
const text = (description: string): Json => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
});
const problem = (description: string, schema = ref('Problem')): Json => ({
  description,
  content: { 'application/problem+json': { schema } },
});

const guarded = {
  '401': problem('Missing or invalid credentials'),
  '403': problem('The role is not allowed this'),
} as const;

function sqlOperation(): Json {
  return {
    operationId: 'runSql',
    summary: 'Run one SELECT over raw_events',
    parameters: [
      {
        name: 'format',
        in: 'query',
        description: '`ndjson` and `csv` stream data rows only, as a download.',
        schema: { type: 'string', enum: sqlFormats, default: 'json' },
      },
    ],
    requestBody: { required: true, content: json(ref('SqlRequest')) },
    responses: {
      '200': {
        description: 'The rows, or with `explain` the bound and the plan',
        content: {
          'application/json': { schema: { anyOf: [ref('SqlResponse'), ref('SqlExplanation')] } },
          'application/x-ndjson': { schema: { type: 'string' } },
          'text/csv': { schema: { type: 'string' } },
        },
      },
      '400': problem('Malformed request or SQL that is not allowed'),
      ...guarded,
      '412': problem('The bound exceeds the limit; nothing was read', {
        allOf: [ref('Problem'), ref('ScanLimitProblem')],
      }),
      '413': problem('The body is too large'),
      '415': problem('The body is not JSON'),
      '503': problem('The node is not ready, too busy, or the query ran out of its time'),
    },
  };
}

/** The OpenAPI 3.1 document of the API, built from the schemas that validate it. */
export function buildOpenApi(version: string): Json {
  const operation = (operationId: string, summary: string, ok: Json): Json => ({
    get: { operationId, summary, responses: { '200': ok, ...guarded } },
  });
  const request = schemaOf(sqlRequest, 'input');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Varve',
      version,
      description: `HTTP API of one node. Queries are bounded before they start; the default limit is ${DEFAULT_MAX_SCAN_BYTES} bytes.`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ token: [] }],
    paths: {
      '/ready': {
        get: {
          operationId: 'getReadiness',
          summary: 'Whether the node can serve',
          security: [],
          responses: { '200': text('It can'), '503': text('It cannot; the text says why') },
        },
      },
      '/v1/health': operation('getHealth', 'Health of ingest, storage and query', {
        description: 'Health',
        content: json(ref('Health')),
      }),
      '/v1/sql': { post: sqlOperation() },
      '/v1/openapi.json': operation('getOpenApi', 'This document', {
        description: 'OpenAPI 3.1 document',
        content: json({ type: 'object' }),
      }),
      '/metrics': operation('getMetrics', 'Metrics for Prometheus', text('Text format 0.0.4')),
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        SqlRequest: request,
        SqlResponse: schemaOf(sqlResponse),
        SqlExplanation: schemaOf(sqlExplanation),
        ScanLimitProblem: schemaOf(scanLimitProblem),
        Health: schemaOf(health),
        Problem: schemaOf(problemDocument),
      },
    },
  };
}
