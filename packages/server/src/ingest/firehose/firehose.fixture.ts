import { tableFromIPC } from 'apache-arrow';
import { batchBytes, createBuilder } from '../../../test/fixture/otlp-decode.ts';
import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import type { DecodedRequest, IngestRequest } from '../../pipeline/index.ts';
import { createFirehoseProtocol } from './index.ts';

export const requestId = 'ed4acda5-034f-9f42-bba1-f29aea6d7d8f';
export const requestTimeMs = 1_699_999_990_000;
export const fixedClock: Clock = { ...systemClock, nowMs: () => 1_700_000_000_123.9 };

export const headers = {
  'x-amz-firehose-protocol-version': '1.0',
  'x-amz-firehose-request-id': requestId,
  'x-amz-firehose-source-arn': 'arn:aws:firehose:us-east-1:123456789012:deliverystream/orders',
  'content-type': 'application/json',
};

/** A body with one record for each of the data. */
export function deliveryBody(...data: readonly (string | Uint8Array)[]): Buffer {
  const records = data.map((one) => ({ data: Buffer.from(one).toString('base64') }));
  return Buffer.from(JSON.stringify({ requestId, timestamp: requestTimeMs, records }));
}

export function request(overrides: Partial<IngestRequest> = {}): IngestRequest {
  return {
    protocol: 'firehose',
    listener: 'firehose',
    tenant: 'default',
    method: 'POST',
    path: '/',
    query: '',
    headers,
    body: new Uint8Array(0),
    maxBodyBytes: 64 << 20,
    ...overrides,
  };
}

export interface Row {
  readonly time: bigint;
  readonly source: string;
  readonly service: string;
  readonly body: string | null;
  readonly id: string | null;
  readonly attributes: Readonly<Record<string, string | null>>;
}

export function rowsOf(builder: RawEventBuilder): Row[] {
  return tableFromIPC(batchBytes(builder))
    .toArray()
    .map((row) => ({
      time: row.timestamp_ns,
      source: row.source,
      service: row.service,
      body: row.body,
      id: row.idempotency_key,
      attributes: Object.fromEntries(row.attributes),
    }));
}

export function decode(
  body: Uint8Array,
  options: { builder?: RawEventBuilder; request?: Partial<IngestRequest> } = {},
): { readonly decoded: DecodedRequest; readonly rows: Row[] } {
  const builder = options.builder ?? createBuilder();
  const protocol = createFirehoseProtocol({ clock: fixedClock });
  const decoded = protocol.decode(request(options.request), body, builder);
  return { decoded, rows: rowsOf(builder) };
}
