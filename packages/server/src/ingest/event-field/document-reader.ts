import {
  type AttributeSink,
  FieldNames,
  type JsonCursor,
  JsonFlattener,
  jsonObject,
  parseTimestamp,
} from '../../codec/index.ts';
import type { RawEventBuilder } from '../../columns/index.ts';
import { HeldField, noRank, type Span } from './held-field.ts';
import { SeverityMemo } from './severity-memo.ts';

const timeRole = 1;
const bodyRole = 16;
const severityRole = 32;
const severityName = severityRole + 2;
const syslogSeverity = severityRole + 3;
/** An empty message is a body too, but any other one is better. */
const emptyBodyRank = 4;

/**
 * About 10^8 seconds, in March 1973, as the upper half of nanoseconds. What is less in `time` and the like is a duration
 * or a counter; only `@timestamp` is surely a time.
 */
const firstTimeHigh = Math.ceil(1e17 / 0x1_0000_0000);

/** What a field is for besides being an attribute: role plus rank, rank 0 being the most wanted. */
const roleByName = {
  '@timestamp': timeRole,
  timestamp: timeRole + 1,
  time: timeRole + 2,
  date: timeRole + 3,
  message: bodyRole,
  msg: bodyRole + 1,
  log: bodyRole + 2,
  'event.original': bodyRole + 3,
  'log.level': severityRole,
  level: severityRole + 1,
  severity: severityName,
  'syslog.severity': syslogSeverity,
} as const;

const roles = new FieldNames(roleByName);
const structuredNames = new FieldNames({ message: bodyRole, msg: bodyRole + 1 });

const encoder = new TextEncoder();
const names: Uint8Array[] = [];
for (const [name, role] of Object.entries(roleByName)) names[role] = encoder.encode(name);

/**
 * Writes one JSON document as an event in a single pass. Time and message are taken out of it, best name first;
 * everything else, and what lost against a better name, becomes an attribute. A level is an attribute and the
 * event's severity. Dotted and nested names mean the same (Elastic Common Schema).
 */
export class DocumentReader implements AttributeSink {
  readonly #cursor: JsonCursor;
  readonly #flattener: JsonFlattener;
  readonly #severities = new SeverityMemo();
  readonly #heldTime = new HeldField();
  readonly #heldBody = new HeldField();
  readonly #time = { high: 0, low: 0 };
  readonly #builder: RawEventBuilder;
  #hasTime = false;
  #hasBody = false;
  #severityRank = noRank;
  #severity = 0;

  constructor(cursor: JsonCursor, builder: RawEventBuilder) {
    this.#cursor = cursor;
    this.#flattener = new JsonFlattener(cursor);
    this.#builder = builder;
  }

  /** Reads the document the cursor was sent to, and nothing behind it, into an event that has begun. */
  read(): void {
    this.readObject();
    this.#cursor.expectEnd();
  }

  /** Like `read` where other documents may follow. */
  readObject(): void {
    const cursor = this.#cursor;
    this.#heldTime.rank = noRank;
    this.#heldBody.rank = noRank;
    this.#hasTime = false;
    this.#hasBody = false;
    this.#severityRank = noRank;
    cursor.enterObject();
    while (cursor.nextKey()) {
      if (cursor.peek() !== jsonObject || !this.#takeStructuredBody()) this.#flattener.value(this);
    }
    this.#finish();
  }

  attribute(
    key: Uint8Array,
    keyStart: number,
    keyEnd: number,
    value: Uint8Array,
    valueStart: number,
    valueEnd: number,
  ): void {
    const role = roles.find(key, keyStart, keyEnd);
    if (role !== 0) {
      const isTaken =
        role < bodyRole
          ? this.#takeTime(role - timeRole, value, { start: valueStart, end: valueEnd })
          : role < severityRole
            ? this.#takeBody(role - bodyRole, value, { start: valueStart, end: valueEnd })
            : this.#takeSeverity(role, value, { start: valueStart, end: valueEnd });
      if (isTaken) return;
    }
    this.#builder.attribute(key, keyStart, keyEnd, value, valueStart, valueEnd);
  }

  attributeNull(key: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#builder.attributeNull(key, keyStart, keyEnd);
  }

  /** `"message": {…}`: the object as compact JSON. `log` is left alone: it holds fields of its own in ECS. */
  #takeStructuredBody(): boolean {
    const cursor = this.#cursor;
    const role = structuredNames.find(cursor.text, cursor.textStart, cursor.textEnd);
    if (role === 0) return false;
    cursor.readCompact();
    const span = { start: cursor.textStart, end: cursor.textEnd };
    if (!this.#takeBody(role - bodyRole, cursor.text, span)) {
      const key = names[role]!;
      this.#builder.attribute(key, 0, key.length, cursor.text, span.start, span.end);
    }
    return true;
  }

  #takeTime(rank: number, value: Uint8Array, span: Span): boolean {
    const held = this.#heldTime;
    if (this.#hasTime || rank >= held.rank) return false;
    if (!parseTimestamp(value, span.start, span.end, this.#time)) return false;
    if (rank > 0 && this.#time.high < firstTimeHigh) return false;
    if (rank === 0) {
      this.#hasTime = true;
      this.#builder.setTime(this.#time.high, this.#time.low);
      return true;
    }
    if (held.isHeld) held.giveBack(this.#builder);
    held.hold(rank, names[timeRole + rank]!, value, span);
    return true;
  }

  #takeBody(nameRank: number, value: Uint8Array, span: Span): boolean {
    const held = this.#heldBody;
    const rank = span.start < span.end ? nameRank : nameRank + emptyBodyRank;
    if (this.#hasBody || rank >= held.rank) return false;
    if (rank === 0) {
      this.#hasBody = true;
      this.#builder.setBody(value, span.start, span.end);
      return true;
    }
    if (held.isHeld) held.giveBack(this.#builder);
    held.hold(rank, names[bodyRole + nameRank]!, value, span);
    return true;
  }

  /** True only for a field `severity` that names a level: the event's severity is written under that name. */
  #takeSeverity(role: number, value: Uint8Array, span: Span): boolean {
    // Zero is an emergency to syslog, but the default level to most others that count.
    const isZero = span.end - span.start === 1 && value[span.start] === 0x30;
    if (isZero && role !== syslogSeverity) return false;
    const severity = this.#severities.severityOf(value, span.start, span.end);
    if (severity === 0) return false;
    if (role - severityRole < this.#severityRank) {
      this.#severityRank = role - severityRole;
      this.#severity = severity;
    }
    return role === severityName;
  }

  #finish(): void {
    const builder = this.#builder;
    const { value: time } = this.#heldTime;
    if (this.#hasTime) {
      if (this.#heldTime.isHeld) this.#heldTime.giveBack(builder);
    } else if (this.#heldTime.isHeld && parseTimestamp(time.bytes, 0, time.size, this.#time)) {
      builder.setTime(this.#time.high, this.#time.low);
    }
    const { value: body } = this.#heldBody;
    if (this.#heldBody.isHeld) {
      if (this.#hasBody) this.#heldBody.giveBack(builder);
      else builder.setBody(body.bytes, 0, body.size);
    }
    if (this.#severityRank !== noRank) builder.setSeverity(this.#severity);
  }
}
