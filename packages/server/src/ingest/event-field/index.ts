export { DocumentReader } from './document-reader.ts';
export { HeldField, noRank, type Span } from './held-field.ts';
export { FieldSeverity, findLevelField } from './level-field.ts';
export { LineSeverity } from './line-severity.ts';
export { SeverityMemo } from './severity-memo.ts';
