import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeOtlp, maxFutureNs, nowNs, rowsOf } from '../../../test/fixture/otlp-decode.ts';
import { encodeJson, encodeProtobuf } from '../../../test/fixture/otlp-encode.ts';
import { jsonStyle, logsRequest } from '../../../test/fixture/otlp-model.ts';
import { expectedRows } from '../../../test/fixture/otlp-reference.ts';

const window = { nowNs, maxNs: nowNs + maxFutureNs };

describe('OTLP logs', () => {
  it('become the rows of the plain mapping when encoded by protobufjs, in any field order', () => {
    fc.assert(
      fc.property(logsRequest, fc.boolean(), (request, isReversed) => {
        const { builder } = decodeOtlp(encodeProtobuf(request, { isReversed }));
        expect(rowsOf(builder)).toEqual(expectedRows(request, window));
      }),
      { numRuns: 500 },
    );
  });

  it('become the same rows in the JSON encoding, in any of its styles', () => {
    fc.assert(
      fc.property(logsRequest, jsonStyle, (request, style) => {
        const { builder } = decodeOtlp(encodeJson(request, style), {
          contentType: 'application/json',
        });
        expect(rowsOf(builder)).toEqual(expectedRows(request, window));
      }),
      { numRuns: 500 },
    );
  });
});
