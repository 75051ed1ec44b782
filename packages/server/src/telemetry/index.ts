export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export {
  MetricRegistry,
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
} from './metrics.ts';
