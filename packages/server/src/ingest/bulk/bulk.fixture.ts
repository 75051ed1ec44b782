import { IngestRig, type RigOptions } from '../../../test/fixture/ingest-rig.ts';
import { systemClock } from '../../base/clock.ts';
import type { IngestRequest } from '../../pipeline/index.ts';
import { createBulkProtocol } from './protocol.ts';

export { nowNs } from '../../../test/fixture/ingest-rig.ts';

export type SendOptions = Partial<IngestRequest>;

/** The bulk protocol as the ingest worker runs it; every answer took no time. */
export class BulkRig extends IngestRig {
  constructor(options: RigOptions & { readonly rejection?: 'request' | 'items' } = {}) {
    const rejection = options.rejection ?? 'request';
    super(
      createBulkProtocol({ rejection, clock: { ...systemClock, monotonicMs: () => 0 } }),
      options,
    );
  }

  override request(overrides: SendOptions = {}): IngestRequest {
    return super.request({ path: '/_bulk', ...overrides });
  }
}
