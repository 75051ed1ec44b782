import {
  defaultDimensionSources,
  type RawEventBuilder,
} from '../../packages/server/src/columns/index.ts';
import { createBulkProtocol } from '../../packages/server/src/ingest/bulk/index.ts';
import { otlpProtocol } from '../../packages/server/src/ingest/otlp/index.ts';
import { createEventGroups, type Protocol } from '../../packages/server/src/pipeline/index.ts';
import type { Encoding } from '../workload/encoded-batch.ts';

const tenant = Buffer.from('default');

/** A builder as the ingest worker uses it, with the limits of the product and without de-duplication. */
export function openBuilder(): RawEventBuilder {
  const [batch] = createEventGroups(
    {
      limits: { maxEventBytes: 8 << 20, maxAttributes: 4096, maxBatchBytes: 256 << 20 },
      timestamps: { maxFutureSecs: 604_800, maxAgeSecs: undefined, action: 'clamp' },
      dimensions: defaultDimensionSources,
    },
    undefined,
  );
  return batch.builder;
}

export function openProtocol({ name }: Encoding): Protocol {
  return name === 'bulk' ? createBulkProtocol({ rejection: 'request' }) : otlpProtocol;
}

/** Decodes one request body into the builder, as the ingest worker does, and makes the reply; returns its events. */
export function decodeRequest(
  protocol: Protocol,
  encoding: Encoding,
  { body, builder }: { body: Uint8Array; builder: RawEventBuilder },
): number {
  builder.beginRequest({ nowNs: BigInt(Date.now()) * 1_000_000n, tenant, source: tenant });
  const request = {
    protocol: protocol.name,
    listener: encoding.listener,
    tenant: 'default',
    method: 'POST',
    path: encoding.path,
    query: '',
    headers: { 'content-type': encoding.contentType },
    body,
    maxBodyBytes: 100 << 20,
  };
  const decoded = protocol.decode(request, body, builder);
  decoded.reply();
  return decoded.stored;
}
