/** Avro object container files (Avro 1.11, "Object container files"), codecs `null` and `deflate`. */
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { AvroReader, AvroWriter, corruptAvro } from './avro-binary.ts';
import { type AvroSchema, isAvroSchema } from './avro-value.ts';
import { parseJson } from './json.ts';

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const MAGIC = Buffer.from('Obj\u0001', 'latin1');
const SYNC_BYTES = 16;
const BLOCK_MAX_BYTES = 256 * 1024;
const INFLATED_MAX_BYTES = 256 * 1024 * 1024;

export interface AvroFile {
  readonly schema: AvroSchema;
  readonly schemaText: string;
  readonly metadata: ReadonlyMap<string, string>;
  readonly blocks: readonly { readonly count: number; readonly bytes: Uint8Array }[];
}

export interface AvroFileOptions {
  readonly schemaText: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Encoded records, in order. */
  readonly records: Iterable<Uint8Array>;
}

/** Always names the codec: a reader in wide use takes a missing one for gzip and fails. */
export async function encodeAvroFile(options: AvroFileOptions): Promise<Uint8Array> {
  const sync = randomBytes(SYNC_BYTES);
  const file = new AvroWriter();
  file.raw(MAGIC);
  const metadata = Object.entries({
    'avro.schema': options.schemaText,
    'avro.codec': 'deflate',
    ...options.metadata,
  });
  file.long(metadata.length);
  for (const [key, value] of metadata) {
    file.string(key);
    file.string(value);
  }
  file.long(0);
  file.raw(sync);

  let block = new AvroWriter();
  let count = 0;
  const flush = async (): Promise<void> => {
    if (count === 0) return;
    file.long(count);
    file.bytes(await deflate(block.finish()));
    file.raw(sync);
    block = new AvroWriter();
    count = 0;
  };
  for (const record of options.records) {
    block.raw(record);
    count += 1;
    if (block.length >= BLOCK_MAX_BYTES) await flush();
  }
  await flush();
  return file.finish();
}

export async function decodeAvroFile(bytes: Uint8Array): Promise<AvroFile> {
  const reader = new AvroReader(bytes);
  if (Buffer.compare(reader.raw(MAGIC.length), MAGIC) !== 0) throw corruptAvro('wrong magic');
  const metadata = readMetadata(reader);
  const sync = reader.raw(SYNC_BYTES);
  const schemaText = metadata.get('avro.schema');
  if (schemaText === undefined) throw corruptAvro('no schema');
  const codec = metadata.get('avro.codec') ?? 'null';
  const blocks: { count: number; bytes: Uint8Array }[] = [];
  while (reader.remaining > 0) {
    const count = reader.count();
    const packed = reader.bytes();
    blocks.push({ count, bytes: await unpack(packed, codec) });
    if (Buffer.compare(reader.raw(SYNC_BYTES), sync) !== 0) throw corruptAvro('wrong sync marker');
  }
  return { schema: parseSchema(schemaText), schemaText, metadata, blocks };
}

function readMetadata(reader: AvroReader): Map<string, string> {
  const metadata = new Map<string, string>();
  for (;;) {
    let count = reader.count();
    if (count === 0) return metadata;
    if (count < 0) {
      count = -count;
      reader.count();
    }
    if (count > reader.remaining) throw corruptAvro('metadata longer than the file');
    for (let index = 0; index < count; index += 1) metadata.set(reader.string(), reader.string());
  }
}

async function unpack(packed: Uint8Array, codec: string): Promise<Uint8Array> {
  if (codec === 'null') return packed;
  if (codec !== 'deflate') throw corruptAvro(`codec ${codec} is not supported`);
  try {
    return await inflate(packed, { maxOutputLength: INFLATED_MAX_BYTES });
  } catch (error) {
    throw corruptAvro(`block does not inflate: ${String(error)}`);
  }
}

function parseSchema(text: string): AvroSchema {
  let schema: unknown;
  try {
    schema = parseJson(text);
  } catch (error) {
    throw corruptAvro(`schema is not JSON: ${String(error)}`);
  }
  if (!isAvroSchema(schema)) throw corruptAvro('schema has a shape that is not known');
  return schema;
}
