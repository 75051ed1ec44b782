export { flatJson, generateBatch } from './bench-batch.ts';
export { encodeBulkBody } from './bulk-body.ts';
export { ShopGenerator } from './generator.ts';
export type { DemoEvent } from './demo-event.ts';
export { encodeOtlpBody } from './otlp-body.ts';
export { runDemo, type DemoHost } from './run-demo.ts';
