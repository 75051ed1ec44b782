import { z } from 'zod';
import { errorCodes, type ErrorCode } from './error-codes.ts';

const codes = Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]];

export const fieldProblem = z.object({
  /** Dotted path of the field, empty for the body as a whole. */
  path: z.string(),
  message: z.string(),
});

/** RFC 9457 problem document: the body of every answer of the API port that is not a success, but `/ready`. */
export const problemDocument = z.looseObject({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  code: z.enum(codes),
  detail: z.string(),
  request_id: z.string(),
  /** With status 400: the fields at fault. */
  errors: z.array(fieldProblem).optional(),
});

export type FieldProblem = z.infer<typeof fieldProblem>;
export type ProblemDocument = z.infer<typeof problemDocument>;
