import { NodeError } from '../../base/errors.ts';
import { checkHealth } from './health-service.ts';
import { statusOfReply } from './status.ts';
import { encodeFrame, UnaryFrame } from './unary-frame.ts';

/** What an admitted message may have, as the listener would say. */
const maxMessageBytes = 4096;

function refused(error: unknown): void {
  if (!(error instanceof NodeError)) throw error;
}

/** Cut anywhere, the same bytes give the same message or the same refusal. */
function readInPieces(input: Uint8Array, pieceBytes: number): string {
  const frame = new UnaryFrame((bytes) => {
    if (bytes > maxMessageBytes) throw new NodeError('request_body_too_large', 'refused');
  });
  try {
    for (let at = 0; at < input.length; at += pieceBytes) {
      frame.push(input.subarray(at, at + pieceBytes));
    }
    const { isCompressed, message } = frame.finish();
    return `${isCompressed} ${Buffer.from(message).toString('hex')}`;
  } catch (error) {
    refused(error);
    return error instanceof Error ? error.message : '';
  }
}

export const fuzzTargets = [
  {
    name: 'grpc-frame',
    seeds: [encodeFrame(Buffer.from('hello')), encodeFrame(Buffer.alloc(300))],
    run(input: Uint8Array): void {
      const whole = readInPieces(input, Math.max(1, input.length));
      for (const pieceBytes of [1, 3, 7]) {
        if (readInPieces(input, pieceBytes) !== whole) throw new Error(`pieces of ${pieceBytes}`);
      }
    },
  },
  {
    name: 'grpc-status',
    seeds: [Buffer.from('08031205776f726473', 'hex'), Buffer.from('0a0478797a31', 'hex')],
    run(input: Uint8Array): void {
      try {
        statusOfReply({ status: 400, headers: {}, body: input });
        checkHealth(input, { services: new Set(), isServing: true });
      } catch (error) {
        refused(error);
      }
    },
  },
];
