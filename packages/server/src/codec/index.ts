export { Fingerprinter, fingerprintWords } from './fingerprint.ts';
export type { AttributeSink } from './attribute-sink.ts';
export { ByteBuffer } from './byte-buffer.ts';
export { appendBase64, appendNormalBase64, copyHexId, writeHexId } from './byte-text.ts';
export { FieldNames } from './field-names.ts';
export { JsonCursor } from './json-cursor.ts';
export {
  jsonArray,
  jsonEnd,
  jsonFalse,
  jsonNull,
  jsonNumber,
  jsonObject,
  jsonString,
  jsonTrue,
  type JsonKind,
} from './json-kind.ts';
export { hexDigit } from './hex-digit.ts';
export { JsonFlattener } from './json-flattener.ts';
export { appendJsonString } from './json-text.ts';
export { KeyPath } from './key-path.ts';
export { malformedBody } from './malformed-body.ts';
export {
  appendDouble,
  appendInt64,
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
export { appendCodePoint } from './utf8.ts';
export { parseTimestamp, type TimestampHalves, writeTimestamp } from './timestamp-text.ts';
export { decodeLz4 } from './lz4/decode.ts';
export { decodeSnappy } from './snappy/decode.ts';
export { bytesField, varintField } from './protobuf-writer.ts';
