export type { AttributeSink } from './attribute-sink.ts';
export { ByteBuffer } from './byte-buffer.ts';
export { appendBase64, appendNormalBase64, copyHex, writeHex } from './byte-text.ts';
export { FieldNames } from './field-names.ts';
export {
  jsonArray,
  JsonCursor,
  jsonEnd,
  jsonFalse,
  jsonNull,
  jsonNumber,
  jsonObject,
  jsonString,
  jsonTrue,
  type JsonKind,
} from './json-cursor.ts';
export { JsonFlattener } from './json-flattener.ts';
export { appendJsonString } from './json-text.ts';
export { KeyPath } from './key-path.ts';
export { malformedBody } from './malformed-body.ts';
export {
  appendDouble,
  appendInt64,
  appendUint32,
  type Int64Halves,
  isShortestDecimal,
  parseInt64,
} from './number-text.ts';
export {
  ProtobufReader,
  tagOf,
  wireBytes,
  wireFixed32,
  wireFixed64,
  wireVarint,
} from './protobuf-reader.ts';
export { bytesField, varintField } from './protobuf-writer.ts';
export { requireUtf8 } from './utf8.ts';
export { parseTimestamp, type TimestampHalves } from './timestamp-text.ts';
