import { bulk } from './bulk.ts';
import type { Encoding, ProtocolName } from './encoded-batch.ts';
import { otlpJson } from './otlp-json.ts';
import { otlpProtobuf } from './otlp-protobuf.ts';

export const encodings: Readonly<Record<ProtocolName, Encoding>> = {
  otlp_protobuf: otlpProtobuf,
  otlp_json: otlpJson,
  bulk,
};
