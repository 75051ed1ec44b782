export { errorCodes, type ErrorCode, type ErrorCodeSpec } from './error-codes.ts';
