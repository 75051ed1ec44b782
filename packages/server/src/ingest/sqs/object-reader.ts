import { createHash } from 'node:crypto';
import { GetObjectCommand, type GetObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3';
import { type ErrorCode, errorCodes } from '@varve/contract';
import type { Clock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import type { IngestPort, InflightBudget, ListenerLedger } from '../http/index.ts';
import { DamagedObject } from './inflater.ts';
import type { ObjectRef } from './notification.ts';
import { type FormattedSlice, ObjectStream, RefusedObject } from './object-stream.ts';
import { objectProtocolName, sliceHeaders } from './slice-headers.ts';

/** Slices on their way to the ingest worker at once, per object. */
const slicesInFlight = 3;
const retryDelayMs = 250;
/** Objects whose progress is remembered until they are read to the end. */
const maxRemembered = 1000;
/** What a slice may be over the largest event: a record's JSON is larger than the event it becomes. */
const entryOverheadBytes = 256 * 1024;

export interface ObjectReaderOptions {
  readonly s3: S3Client;
  readonly listener: string;
  readonly tenant: string;
  readonly maxObjectBytes: number;
  readonly maxEventBytes: number;
  readonly port: IngestPort;
  readonly budget: InflightBudget;
  readonly ledger: ListenerLedger;
  readonly clock: Clock;
  readonly log: ObjectLog;
}

export interface ObjectLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface Version {
  readonly key: string;
  readonly objectId: string;
  readonly modifiedMs: number;
}

/**
 * Reads S3 objects and has their entries stored. An object that failed halfway goes on where its last stored slice ended
 * when it is read again by this process; otherwise the stable ids of its entries find what is stored already.
 */
export class ObjectReader {
  readonly #options: ObjectReaderOptions;
  /** End of the part that is stored, by object id. */
  readonly #progress = new Map<string, number>();

  constructor(options: ObjectReaderOptions) {
    this.#options = options;
  }

  /**
   * Resolves when every entry of the object is durable, damaged ones counted as refused. Rejects with the errors of the
   * S3 client, or `RefusedObject` when it cannot be read whole however often it is tried.
   */
  async read(ref: ObjectRef, signal: AbortSignal): Promise<void> {
    const { maxObjectBytes, maxEventBytes, ledger, log } = this.#options;
    const { output, key } = await this.#get(ref, signal);
    const { Body: body, ContentLength: length } = output;
    if (body === undefined || length === 0) return;
    const stream = body as unknown;
    if (!isChunks(stream)) throw new Error('the S3 client gave no stream');
    if (length !== undefined && length > maxObjectBytes) {
      destroy(stream);
      throw new RefusedObject(
        'request_body_too_large',
        `the object has ${length} bytes, the limit is ${maxObjectBytes}`,
      );
    }
    const version: Version = {
      key,
      objectId: objectIdOf(ref.bucket, key, output),
      modifiedMs: output.LastModified?.getTime() ?? this.#options.clock.nowMs(),
    };
    const content = new ObjectStream({
      maxBytes: maxObjectBytes,
      maxEntryBytes: maxEventBytes + entryOverheadBytes,
    });
    try {
      await this.#store(content.read(stream), { ref, version, signal });
    } catch (error) {
      if (!(error instanceof DamagedObject)) throw error;
      // Reading it again would end at the same place.
      ledger.noteLost('ingest_malformed_body', 1);
      log.warn(
        { bucket: ref.bucket, key, err: error },
        'an object is damaged; its front was stored',
      );
    } finally {
      destroy(stream);
    }
    if (content.tooLong > 0) {
      ledger.noteLost('ingest_event_too_large', content.tooLong);
      log.warn({ bucket: ref.bucket, key, entries: content.tooLong }, 'entries were too large');
    }
    this.#progress.delete(version.objectId);
  }

  async #get(
    ref: ObjectRef,
    signal: AbortSignal,
  ): Promise<{ output: GetObjectCommandOutput; key: string }> {
    const { bucket, keys, versionId } = ref;
    for (const [index, key] of keys.entries()) {
      const version = versionId === undefined ? {} : { VersionId: versionId };
      const command = new GetObjectCommand({ Bucket: bucket, Key: key, ...version });
      try {
        return { output: await this.#options.s3.send(command, { abortSignal: signal }), key };
      } catch (error) {
        const isMissing = error instanceof Error && error.name === 'NoSuchKey';
        if (!isMissing || index === keys.length - 1) throw error;
      }
    }
    throw new Error('a notification names no key');
  }

  async #store(
    slices: AsyncIterable<FormattedSlice>,
    object: { ref: ObjectRef; version: Version; signal: AbortSignal },
  ): Promise<void> {
    const { objectId } = object.version;
    const stored = this.#progress.get(objectId) ?? 0;
    const inFlight: { readonly end: number; readonly sent: Promise<void> }[] = [];
    const settleFirst = async (): Promise<void> => {
      const first = inFlight.shift();
      if (first === undefined) return;
      await first.sent;
      this.#remember(objectId, first.end);
    };
    try {
      for await (const slice of slices) {
        const end = slice.offset + slice.bytes.length;
        if (end <= stored) continue;
        // Slices are cut anew each time, but what is stored ends between two entries.
        const from = Math.max(0, stored - slice.offset);
        const rest = { bytes: slice.bytes.subarray(from), offset: slice.offset + from };
        const sent = this.#submit({ ...slice, ...rest }, object);
        // Looked at in order below; must not count as unhandled before.
        sent.catch(() => undefined);
        inFlight.push({ end, sent });
        if (inFlight.length >= slicesInFlight) await settleFirst();
      }
    } finally {
      while (inFlight.length > 0) await settleFirst();
    }
  }

  /** Tries until the slice is stored, or the reader is stopped: the message is kept from others meanwhile. */
  async #submit(
    slice: FormattedSlice,
    { ref, version, signal }: { ref: ObjectRef; version: Version; signal: AbortSignal },
  ): Promise<void> {
    const { listener, tenant, clock, ledger, port } = this.#options;
    const { format, header, offset, bytes } = slice;
    const headers = sliceHeaders({ ...version, bucket: ref.bucket, format, header, offset });
    const target = { method: 'POST', path: '/', query: '' };
    const request = { ...target, protocol: objectProtocolName, listener, tenant, headers };
    for (;;) {
      signal.throwIfAborted();
      const body = bytes.slice();
      const { length: maxBodyBytes } = body;
      const failure = await this.#try(maxBodyBytes, async () => {
        const outcome = await port.submit({
          ...request,
          body,
          maxBodyBytes,
        });
        if (outcome.requestError === undefined) ledger.noteOutcome(outcome, clock.nowMs());
        return outcome.requestError;
      });
      if (failure === undefined) return;
      if (!errorCodes[failure].retryable) throw new NodeError(failure, 'a slice was refused');
      await clock.sleep(retryDelayMs, signal);
    }
  }

  /** Runs within the budget that all listeners share; an error code when nothing was stored. */
  async #try(
    bytes: number,
    run: () => Promise<ErrorCode | undefined>,
  ): Promise<ErrorCode | undefined> {
    const { port, budget } = this.#options;
    if (!port.isAccepting()) return 'ingest_backpressure';
    const reservation = budget.open();
    if (!reservation.grow(bytes)) return 'ingest_backpressure';
    try {
      return await run();
    } catch (error) {
      if (error instanceof NodeError) return error.code;
      throw error;
    } finally {
      reservation.release();
    }
  }

  #remember(objectId: string, end: number): void {
    this.#progress.set(objectId, end);
    if (this.#progress.size <= maxRemembered) return;
    for (const oldest of this.#progress.keys()) {
      this.#progress.delete(oldest);
      break;
    }
  }
}

/** The version that was read, which may be another than the notification tells: an object may be overwritten since. */
function objectIdOf(bucket: string, key: string, output: GetObjectCommandOutput): string {
  const { VersionId: versionId, ETag: etag, LastModified: modified } = output;
  const version = versionId ?? etag ?? modified?.toISOString() ?? '';
  const text = JSON.stringify([bucket, key, version]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function isChunks(value: unknown): value is AsyncIterable<Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function destroy(stream: object): void {
  if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy();
}
