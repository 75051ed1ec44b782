import { assert } from '../../base/assert.ts';
import { corruptAvro, type AvroReader, type AvroWriter } from './avro-binary.ts';

/** The part of Avro that Iceberg manifests use, with Iceberg's id attributes. */
export type AvroSchema = string | AvroUnion | AvroRecordSchema | AvroArraySchema | AvroWrapped;

export type AvroUnion = readonly AvroSchema[];

export interface AvroField {
  readonly name: string;
  readonly type: AvroSchema;
  readonly default?: null;
  readonly doc?: string;
  readonly 'field-id'?: number;
}

export interface AvroRecordSchema {
  readonly type: 'record';
  readonly name: string;
  readonly fields: readonly AvroField[];
}

export interface AvroArraySchema {
  readonly type: 'array';
  readonly items: AvroSchema;
  readonly logicalType?: string;
  readonly 'element-id'?: number;
}

/** `{"type":"long","logicalType":…}`, `{"type":"fixed","size":…}`, `{"type":"map","values":…}`. */
export interface AvroWrapped {
  readonly type: string;
  readonly name?: string;
  readonly size?: number;
  readonly values?: AvroSchema;
  readonly logicalType?: string;
}

export type AvroValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly AvroValue[]
  | AvroRecord;

export interface AvroRecord {
  readonly [field: string]: AvroValue;
}

export function isRecordSchema(schema: AvroSchema): schema is AvroRecordSchema {
  return typeof schema === 'object' && 'type' in schema && schema.type === 'record';
}

function isArraySchema(schema: AvroSchema): schema is AvroArraySchema {
  return typeof schema === 'object' && 'type' in schema && schema.type === 'array';
}

function isUnion(schema: AvroSchema): schema is AvroUnion {
  return Array.isArray(schema);
}

/** Writes with one of our own schemas; a value that does not fit it is a bug. */
export function writeValue(writer: AvroWriter, schema: AvroSchema, value: AvroValue): void {
  if (isUnion(schema)) {
    const branch = schema.findIndex((type) => (type === 'null') === (value === null));
    const type = schema[branch];
    assert(type !== undefined, 'avro union has no branch for the value');
    writer.long(branch);
    writeValue(writer, type, value);
  } else if (isRecordSchema(schema)) {
    assert(isRecordValue(value), `avro record ${schema.name} expected`);
    for (const field of schema.fields) {
      const member = value[field.name];
      assert(member !== undefined, `avro field ${field.name} is missing`);
      writeValue(writer, field.type, member);
    }
  } else if (isArraySchema(schema)) {
    assert(isArrayValue(value), 'avro array expected');
    if (value.length > 0) writer.long(value.length);
    for (const item of value) writeValue(writer, schema.items, item);
    writer.long(0);
  } else {
    writePrimitive(writer, typeof schema === 'string' ? schema : schema.type, value);
  }
}

function writePrimitive(writer: AvroWriter, type: string, value: AvroValue): void {
  if (type === 'null' && value === null) return;
  if ((type === 'int' || type === 'long') && isInteger(value)) return writer.long(value);
  if (type === 'string' && typeof value === 'string') return writer.string(value);
  if (type === 'boolean' && typeof value === 'boolean') return writer.boolean(value);
  if (type === 'bytes' && value instanceof Uint8Array) return writer.bytes(value);
  assert(false, `avro ${type} cannot hold a ${typeof value}`);
}

/** Whether a parsed schema is one that `readValue` can follow; files of others may be damaged anywhere. */
export function isAvroSchema(value: unknown): value is AvroSchema {
  if (typeof value === 'string') return true;
  if (Array.isArray(value)) return value.every(isAvroSchema);
  if (typeof value !== 'object' || value === null || !('type' in value)) return false;
  if (value.type === 'record') {
    return 'fields' in value && Array.isArray(value.fields) && value.fields.every(isAvroField);
  }
  if (value.type === 'array') return 'items' in value && isAvroSchema(value.items);
  const hasSize =
    !('size' in value) || (Number.isSafeInteger(value.size) && Number(value.size) >= 0);
  return typeof value.type === 'string' && hasSize;
}

function isAvroField(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'name' in value && typeof value.name === 'string' && 'type' in value && isAvroSchema(value.type)
  );
}

/** Reads with whatever schema the file carries; unknown constructs throw `storage_corrupt_table`. */
export function readValue(reader: AvroReader, schema: AvroSchema): AvroValue {
  if (isUnion(schema)) {
    const type = schema[reader.count()];
    if (type === undefined) throw corruptAvro('union branch out of range');
    return readValue(reader, type);
  }
  if (isRecordSchema(schema)) {
    const record: Record<string, AvroValue> = {};
    for (const field of schema.fields) record[field.name] = readValue(reader, field.type);
    return record;
  }
  if (isArraySchema(schema)) return readArray(reader, schema.items);
  if (typeof schema === 'string') return readPrimitive(reader, schema);
  if (schema.type === 'fixed') return reader.raw(schema.size ?? 0).slice();
  return readPrimitive(reader, schema.type);
}

function readArray(reader: AvroReader, items: AvroSchema): AvroValue[] {
  const values: AvroValue[] = [];
  for (;;) {
    let count = reader.count();
    if (count === 0) return values;
    if (count < 0) {
      count = -count;
      reader.count();
    }
    if (count > reader.remaining) throw corruptAvro('array longer than the file');
    for (let index = 0; index < count; index += 1) values.push(readValue(reader, items));
  }
}

function readPrimitive(reader: AvroReader, type: string): AvroValue {
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return reader.boolean();
    case 'int':
    case 'long':
      return reader.long();
    case 'string':
      return reader.string();
    case 'bytes':
      return reader.bytes().slice();
    case 'float':
      return new DataView(reader.raw(4).slice().buffer).getFloat32(0, true);
    case 'double':
      return new DataView(reader.raw(8).slice().buffer).getFloat64(0, true);
    default:
      throw corruptAvro(`type ${type} is not supported`);
  }
}

export function isRecordValue(value: AvroValue | undefined): value is AvroRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Uint8Array) &&
    !Array.isArray(value)
  );
}

export function isArrayValue(value: AvroValue | undefined): value is readonly AvroValue[] {
  return Array.isArray(value);
}

function isInteger(value: AvroValue): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
}
