export { errorCodes, type ErrorCode, type ErrorCodeSpec } from './error-codes.ts';
export {
  health,
  healthStatus,
  listenerHealth,
  type Health,
  type HealthStatus,
  type ListenerHealth,
} from './health.ts';
export { buildOpenApi } from './openapi.ts';
export {
  fieldProblem,
  problemDocument,
  type FieldProblem,
  type ProblemDocument,
} from './problem.ts';
export { builtInRoles, permissions, type BuiltInRole, type Permission } from './roles.ts';
export {
  DEFAULT_MAX_SCAN_BYTES,
  scanBound,
  scanLimitProblem,
  sqlExplanation,
  sqlFormat,
  sqlFormats,
  sqlRequest,
  sqlResponse,
  type ScanBound,
  type ScanLimitProblem,
  type SqlExplanation,
  type SqlFormat,
  type SqlRequest,
  type SqlResponse,
} from './sql.ts';
