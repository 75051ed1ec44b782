import { NodeError } from '../../base/errors.ts';
import {
  type AttributeSink,
  ByteBuffer,
  FieldNames,
  JsonCursor,
  jsonArray,
  jsonEnd,
  JsonFlattener,
  type JsonKind,
  jsonNull,
  jsonObject,
  malformedBody,
  parseTimestamp,
} from '../../codec/index.ts';
import {
  type EventOutcome,
  type RawEventBuilder,
  severityOfName,
  severityOfSyslog,
} from '../../columns/index.ts';
import { repairJson } from './lenient-json.ts';

const versionField = 1;
const hostField = 2;
const shortMessageField = 3;
const messageField = 4;
const fullMessageField = 5;
const timestampField = 6;
const levelField = 7;

const fields = new FieldNames({
  version: versionField,
  host: hostField,
  short_message: shortMessageField,
  message: messageField,
  full_message: fullMessageField,
  timestamp: timestampField,
  level: levelField,
});

/** Attributes that name the service, most wanted first; the configured dimension beats them all. */
const serviceNames = new FieldNames({ service: 1, facility: 2, container_name: 3, app: 4 });
const noService = 5;

const encoder = new TextEncoder();
const hostKey = encoder.encode('host.name');
const idPrefix = encoder.encode('gelf:');
const underscore = 0x5f;
const maxLevelBytes = 16;
const maxIdBytes = 512;

/** A text that becomes the body when no better one comes, and an attribute otherwise. */
class HeldText {
  readonly key: Uint8Array;
  readonly value = new ByteBuffer(1024);
  isHeld = false;

  constructor(key: string) {
    this.key = encoder.encode(key);
  }

  hold(bytes: Uint8Array, start: number, end: number): void {
    this.isHeld = true;
    this.value.clear();
    this.value.append(bytes, start, end);
  }
}

export interface MessageReaderOptions {
  readonly builder: RawEventBuilder;
  /** Additional field, without its underscore, whose value makes a message idempotent. */
  readonly idField: string | undefined;
}

/**
 * Writes GELF messages (payload specification 1.1) as events. Strict JSON first; what fails is read again with
 * the usual faults of embedded senders repaired.
 */
export class MessageReader implements AttributeSink {
  readonly #builder: RawEventBuilder;
  readonly #idName: Uint8Array;
  readonly #cursor = new JsonCursor();
  readonly #flattener = new JsonFlattener(this.#cursor);
  readonly #heldShort = new HeldText('short_message');
  readonly #heldMessage = new HeldText('message');
  readonly #heldFull = new HeldText('full_message');
  readonly #service = new ByteBuffer(128);
  readonly #time = { high: 0, low: 0 };
  #serviceRank = noService;
  #severity = 0;
  #hasHost = false;
  #hasId = false;
  #hasContent = false;

  constructor(options: MessageReaderOptions) {
    this.#builder = options.builder;
    this.#idName = encoder.encode(options.idField ?? '');
  }

  /**
   * Reads the messages of a text, one object behind the other. `peer` names the host of messages that do not.
   * An object that cannot be read leaves no row behind; those before it stay.
   * @throws NodeError `ingest_malformed_body`, or a cap of the builder
   */
  readAll(text: Uint8Array, peer: Uint8Array, onEvent: (outcome: EventOutcome) => void): void {
    const cursor = this.#cursor;
    let bytes = withoutTrailingNuls(text);
    let isRepaired = false;
    let isOpen = false;
    let count = 0;
    for (let at = 0; ;) {
      const row = this.#builder.rows;
      try {
        if (!isOpen) cursor.open(bytes);
        isOpen = true;
        at = cursor.position;
        if (cursor.peek() === jsonEnd) break;
        onEvent(this.#read(peer));
        count++;
      } catch (error) {
        this.#builder.batch.truncate(row);
        const isMalformed = error instanceof NodeError && error.code === 'ingest_malformed_body';
        if (!isMalformed || isRepaired) throw error;
        bytes = repairJson(bytes.subarray(at));
        isRepaired = true;
        isOpen = false;
      }
    }
    if (count === 0) throw malformedBody('there is no message', 0);
  }

  #read(peer: Uint8Array): EventOutcome {
    const cursor = this.#cursor;
    const start = cursor.position;
    this.#reset();
    this.#builder.begin();
    cursor.enterObject();
    while (cursor.nextKey()) this.#readField();
    this.#finish(peer, start);
    return this.#builder.end();
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    this.#hasContent = true;
    if (valueStart < valueEnd) {
      const rank = serviceNames.find(key, keyStart, keyEnd);
      if (rank !== 0 && rank < this.#serviceRank) {
        this.#serviceRank = rank;
        this.#service.clear();
        this.#service.append(value, valueStart, valueEnd);
      }
      if (this.#isIdField(key, keyStart, keyEnd) && valueEnd - valueStart <= maxIdBytes) {
        this.#hasId = true;
        this.#builder.setIdempotencyKey(idPrefix, value, valueStart, valueEnd);
      }
    }
    this.#builder.attribute(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  /** A null says nothing that a missing field does not. */
  attributeNull(): void {}

  #reset(): void {
    this.#heldShort.isHeld = false;
    this.#heldMessage.isHeld = false;
    this.#heldFull.isHeld = false;
    this.#serviceRank = noService;
    this.#severity = 0;
    this.#hasHost = false;
    this.#hasId = false;
    this.#hasContent = false;
  }

  #readField(): void {
    const cursor = this.#cursor;
    const field = fields.find(cursor.text, cursor.textStart, cursor.textEnd);
    if (field !== 0) {
      this.#readKnown(field);
      return;
    }
    const isAdditional = cursor.text[cursor.textStart] === underscore;
    if (isAdditional && cursor.textEnd - cursor.textStart > 1) cursor.textStart++;
    this.#flattener.value(this);
  }

  #readKnown(field: number): void {
    const cursor = this.#cursor;
    const kind = cursor.peek();
    const isText = field >= shortMessageField && field <= fullMessageField;
    if (!isText && (kind === jsonObject || kind === jsonArray)) {
      // No GELF field; the key is still what the cursor shows.
      this.#flattener.value(this);
      return;
    }
    this.#readValue(kind);
    if (kind === jsonNull || cursor.textStart === cursor.textEnd) return;
    switch (field) {
      case versionField:
        return;
      case hostField:
        this.#takeHost();
        return;
      case timestampField:
        this.#takeTime();
        return;
      case levelField:
        this.#takeLevel();
        return;
      default:
        this.#takeText(field);
    }
  }

  #readValue(kind: JsonKind): void {
    if (kind === jsonObject || kind === jsonArray) this.#cursor.readCompact();
    else this.#cursor.readScalar();
  }

  #takeHost(): void {
    const { text, textStart, textEnd } = this.#cursor;
    if (this.#hasHost || isBlank(text, textStart, textEnd)) return;
    this.#hasHost = true;
    this.#builder.attribute(hostKey, 0, hostKey.length, text, textStart, textEnd);
  }

  /** A time that is none or not after 1970 says nothing: arrival counts then. */
  #takeTime(): void {
    const { text, textStart, textEnd } = this.#cursor;
    const time = this.#time;
    if (!parseTimestamp(text, textStart, textEnd, time)) {
      const key = encoder.encode('timestamp');
      this.attribute(key, 0, key.length, text, textStart, textEnd);
    } else if (time.high > 0 || (time.high === 0 && time.low > 0)) {
      this.#builder.setTime(time.high, time.low);
    }
  }

  #takeLevel(): void {
    const { text, textStart, textEnd } = this.#cursor;
    this.#severity = severityOfLevel(text, textStart, textEnd);
    const key = encoder.encode('level');
    this.attribute(key, 0, key.length, text, textStart, textEnd);
  }

  #takeText(field: number): void {
    const { text, textStart, textEnd } = this.#cursor;
    if (isBlank(text, textStart, textEnd)) return;
    this.#hasContent = true;
    const held =
      field === shortMessageField
        ? this.#heldShort
        : field === fullMessageField
          ? this.#heldFull
          : this.#heldMessage;
    held.hold(text, textStart, textEnd);
  }

  /** The short message, unless it is but the beginning of the full one, as many clients cut it. */
  #writeTexts(): void {
    const builder = this.#builder;
    const [short, full] = [this.#heldShort, this.#heldFull];
    const isCut = short.isHeld && full.isHeld && beginsWith(full.value, short.value);
    const order = isCut ? [full, this.#heldMessage] : [short, this.#heldMessage, full];
    let hasBody = false;
    for (const { key, value, isHeld } of order) {
      if (!isHeld) continue;
      if (hasBody) builder.attribute(key, 0, key.length, value.bytes, 0, value.size);
      else builder.setBody(value.bytes, 0, value.size);
      hasBody = true;
    }
  }

  #finish(peer: Uint8Array, start: number): void {
    const builder = this.#builder;
    this.#writeTexts();
    if (!this.#hasContent) throw malformedBody('the message has neither text nor fields', start);
    if (!this.#hasHost && peer.length > 0) builder.attributeText(hostKey, peer);
    if (this.#serviceRank !== noService && !builder.hasService) {
      builder.setService(this.#service.bytes, 0, this.#service.size);
    }
    builder.setSeverity(this.#severity);
  }

  #isIdField(key: Uint8Array, start: number, end: number): boolean {
    const name = this.#idName;
    if (this.#hasId || name.length === 0 || name.length !== end - start) return false;
    return name.every((byte, index) => byte === key[start + index]);
  }
}

/** `6`, `6.0` or `info`; 0 when the text names no level. */
function severityOfLevel(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > maxLevelBytes) return 0;
  if (end - start === 1) return severityOfSyslog[bytes[start]! - 0x30] ?? 0;
  const text = new TextDecoder().decode(bytes.subarray(start, end));
  const number = /^[0-7](?:\.0*)?$/.test(text) ? Number(text) : Number.NaN;
  return severityOfSyslog[number] ?? severityOfName(text);
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > 0x20) return false;
  return true;
}

function beginsWith(text: ByteBuffer, start: ByteBuffer): boolean {
  if (text.size < start.size) return false;
  for (let at = 0; at < start.size; at++) if (text.bytes[at] !== start.bytes[at]) return false;
  return true;
}

/** Some senders end a message with NUL on every transport. */
function withoutTrailingNuls(text: Uint8Array): Uint8Array {
  let end = text.length;
  while (end > 0 && text[end - 1] === 0) end--;
  return end === text.length ? text : text.subarray(0, end);
}
