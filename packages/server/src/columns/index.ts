export { rawEventsSchema, type ColumnSpec, type ColumnType, type TableSchema } from './schema.ts';
export { encodeRecordBatch, encodeSchemaMessage, endOfStream } from './arrow-ipc.ts';
export {
  eventDuplicate,
  eventOutOfTime,
  eventStored,
  RawEventBuilder,
  type DedupProbe,
  type EventOutcome,
} from './raw-event-builder.ts';
export { SharedAttributes } from './shared-attributes.ts';
export {
  defaultDimensionSources,
  DimensionMapping,
  type DimensionSources,
} from './dimension-mapping.ts';
export { severityOfName, severityOfSyslog, severityText } from './severity.ts';
export type { TimestampPolicy } from './time-window.ts';
export type { EventLimits } from './event-limits.ts';
export type { Utf8Column } from './utf8-column.ts';
