export { loadConsoleAssets, type ConsoleAsset, type ConsoleAssets } from './console-assets.ts';
export {
  type HealthSource,
  type Readiness,
  type SqlContext,
  type SqlOutcome,
  type SqlRun,
  type SqlService,
} from './ports.ts';
export { HttpServer, type HttpServerOptions } from './server.ts';
