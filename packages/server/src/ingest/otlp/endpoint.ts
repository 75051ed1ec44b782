import type { HttpEndpoint, Route } from '../http/index.ts';
import { isLogsPath, otlpProtocol, unsupportedMediaType } from './protocol.ts';
import { errorReply, formatOfContentType, jsonFormat, protobufFormat } from './reply.ts';

/** Spec section 8, OTLP/HTTP request body; gRPC messages have the same. */
const maxBodyBytes = 16 * 1024 * 1024;

/** OTLP/HTTP on a listener: `POST` to any path that ends in `/v1/logs`. */
export const otlpEndpoint: HttpEndpoint = {
  protocol: otlpProtocol,

  route({ method, path, headers }): Route | undefined {
    if (!isLogsPath(path)) return undefined;
    if (method !== 'POST') return { kind: 'method_not_allowed', allow: ['POST'] };
    const contentType = headers['content-type'];
    if (formatOfContentType(contentType) === null) {
      return { kind: 'reply', reply: errorReply(jsonFormat, unsupportedMediaType(contentType)) };
    }
    return { kind: 'ingest', maxBodyBytes };
  },
};

/** `LogsService.Export` over gRPC: the same message as a protobuf body over HTTP, and the same answers. */
export const otlpExportMethod = {
  path: '/opentelemetry.proto.collector.logs.v1.LogsService/Export',
  protocol: otlpProtocol,
  requestPath: '/v1/logs',
  contentType: protobufFormat.contentType,
  maxMessageBytes: maxBodyBytes,
};
