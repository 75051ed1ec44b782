import { ProtobufReader, tagOf, varintField, wireBytes } from '../../codec/index.ts';
import { GrpcError, grpcCode } from './status.ts';

/** The one unary call of the gRPC health checking protocol; probes come without credentials. */
export const healthCheckPath = '/grpc.health.v1.Health/Check';
export const maxHealthMessageBytes = 1024;

const serviceTag = tagOf(1, wireBytes);
const serving = 1;
const notServing = 2;

/** @throws GrpcError NOT_FOUND for a service that is not here; the empty name is the whole server */
export function checkHealth(
  message: Uint8Array,
  { services, isServing }: { readonly services: ReadonlySet<string>; readonly isServing: boolean },
): Uint8Array {
  const reader = new ProtobufReader();
  reader.open(message);
  let service = '';
  while (reader.next()) {
    if (reader.tag === serviceTag) {
      service = Buffer.from(message.subarray(reader.start, reader.end)).toString('utf8');
    }
  }
  if (service !== '' && !services.has(service)) {
    throw new GrpcError(grpcCode.notFound, 'request_not_found', 'no such service on this port');
  }
  return varintField(1, isServing ? serving : notServing);
}
