import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../../base/clock.ts';
import type { ListenerLedger } from '../http/index.ts';
import { parseNotification } from './notification.ts';
import type { ObjectLog, ObjectReader } from './object-reader.ts';
import { RefusedObject } from './object-stream.ts';

const visibilitySecs = 300;
const waitSecs = 20;
const maxReceived = 10;
/** Messages in work at once. */
const concurrency = 4;
const pauseMs = 1000;
/** How long a message that failed stays invisible, for each time it was received. */
const retryDelaySecs = 30;

/** Errors that another try will most likely meet again. */
const permanentErrors = new Set([
  'NoSuchKey',
  'NoSuchBucket',
  'NoSuchVersion',
  'AccessDenied',
  'InvalidObjectState',
  'PermanentRedirect',
  'MethodNotAllowed',
]);

export interface QueueReaderOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly objects: ObjectReader;
  readonly ledger: ListenerLedger;
  readonly isAccepting: () => boolean;
  /** A message that cannot be processed is deleted after so many receives, unless the queue redrives it. */
  readonly maxReceives: number;
  readonly clock: Clock;
  readonly log: ObjectLog;
  /** Tests take a shorter one. */
  readonly waitSecs?: number;
}

/**
 * Receives notifications and has their objects read. A message is deleted when every object it names is durable, and kept
 * invisible while they are read; a crash at any point leaves it in the queue.
 */
export class QueueReader {
  readonly #options: QueueReaderOptions;
  readonly #stopping = new AbortController();
  readonly #inWork = new Set<Promise<void>>();
  #running: Promise<void> | undefined;
  /** Undefined when the queue could not be asked: then nothing is ever deleted unread. */
  #hasRedrive: boolean | undefined;

  constructor(options: QueueReaderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops receiving, gives messages in work back to the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the reader is stopping'));
    await this.#running;
    await Promise.all(this.#inWork);
  }

  async #run(): Promise<void> {
    const { clock, log, isAccepting } = this.#options;
    const { signal } = this.#stopping;
    const pause = (): Promise<void> => clock.sleep(pauseMs, signal).catch(() => undefined);
    let failures = 0;
    while (!signal.aborted) {
      if (!isAccepting()) {
        await pause();
        continue;
      }
      try {
        if (this.#hasRedrive === undefined) await this.#askForRedrive();
        for (const message of await this.#receive()) this.#begin(message);
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        // Once for a series of failures, not every second.
        if (failures++ === 0)
          log.error({ reason: reasonOf(error) }, 'the queue cannot be read; trying again');
        await pause();
      }
      while (this.#inWork.size >= concurrency) await Promise.race(this.#inWork);
    }
  }

  async #receive(): Promise<readonly Message[]> {
    const { sqs, queueUrl } = this.#options;
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(maxReceived, concurrency - this.#inWork.size),
      WaitTimeSeconds: this.#options.waitSecs ?? waitSecs,
      VisibilityTimeout: visibilitySecs,
      MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
    });
    const { Messages: messages = [] } = await sqs.send(command, {
      abortSignal: this.#stopping.signal,
    });
    return messages;
  }

  async #askForRedrive(): Promise<void> {
    const { sqs, queueUrl, log } = this.#options;
    try {
      const command = new GetQueueAttributesCommand({
        QueueUrl: queueUrl,
        AttributeNames: ['RedrivePolicy'],
      });
      const output = await sqs.send(command, { abortSignal: this.#stopping.signal });
      this.#hasRedrive = output.Attributes?.['RedrivePolicy'] !== undefined;
    } catch (error) {
      if (!(error instanceof Error) || !isDenied(error)) throw error;
      log.warn({}, 'whether the queue has a redrive policy may not be read; taken as it has one');
      this.#hasRedrive = true;
    }
  }

  #begin(message: Message): void {
    const work = this.#process(message).finally(() => this.#inWork.delete(work));
    this.#inWork.add(work);
  }

  /** Never rejects: whatever fails leaves the message in the queue. */
  async #process(message: Message): Promise<void> {
    const { log, clock, ledger } = this.#options;
    const { signal } = this.#stopping;
    const { ReceiptHandle: receipt, MessageId: messageId } = message;
    if (receipt === undefined) return;
    let cancel = clock.after((visibilitySecs * 1000) / 2, () => extend());
    const extend = (): void => {
      cancel = clock.after((visibilitySecs * 1000) / 2, () => extend());
      void this.#setVisibility(receipt, visibilitySecs);
    };
    ledger.noteRequest();
    try {
      const refs = parseNotification(message.Body ?? '');
      if (refs === undefined) {
        await this.#refuse(message, new Error('the message is no notification that is known'));
        return;
      }
      for (const ref of refs) {
        const [key] = ref.keys;
        if (key.endsWith('/') || key.includes('/CloudTrail-Digest/')) continue;
        await this.#options.objects.read(ref, signal);
      }
      await this.#delete(receipt);
    } catch (error) {
      if (signal.aborted) {
        await this.#setVisibility(receipt, 0);
      } else if (isPermanent(error)) {
        await this.#refuse(message, error);
      } else {
        log.warn(
          { message_id: messageId, reason: reasonOf(error) },
          'an object could not be read; trying later',
        );
        await this.#setVisibility(receipt, this.#delaySecs(message));
      }
    } finally {
      cancel();
    }
  }

  /** Counted once, at the end: before, the message is tried again. */
  async #refuse(message: Message, error: unknown): Promise<void> {
    const { log, maxReceives, ledger } = this.#options;
    const { ReceiptHandle: receipt = '', MessageId: messageId, Body: body } = message;
    const receives = receiveCountOf(message);
    const isLast = this.#hasRedrive !== true && receives >= maxReceives;
    const code = error instanceof RefusedObject ? error.code : 'ingest_malformed_body';
    const fields = { message_id: messageId, receives, reason: reasonOf(error) };
    if (!isLast) {
      log.warn(fields, 'a message cannot be processed; left in the queue');
      await this.#setVisibility(receipt, this.#delaySecs(message));
      return;
    }
    ledger.noteLost(code, 1);
    log.error({ ...fields, body: body?.slice(0, 2000) }, 'a message was deleted unprocessed');
    await this.#delete(receipt).catch((failure: unknown) => {
      log.warn(
        { message_id: messageId, reason: reasonOf(failure) },
        'a message could not be deleted',
      );
    });
  }

  #delaySecs(message: Message): number {
    return Math.min(visibilitySecs, retryDelaySecs * receiveCountOf(message));
  }

  async #delete(receipt: string): Promise<void> {
    const { sqs, queueUrl } = this.#options;
    await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receipt }));
  }

  async #setVisibility(receipt: string, seconds: number): Promise<void> {
    const { sqs, queueUrl, log } = this.#options;
    try {
      await sqs.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: queueUrl,
          ReceiptHandle: receipt,
          VisibilityTimeout: seconds,
        }),
      );
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'the visibility of a message could not be changed');
    }
  }
}

function receiveCountOf(message: Message): number {
  return Number(message.Attributes?.['ApproximateReceiveCount'] ?? 1);
}

function isDenied(error: Error): boolean {
  return /AccessDenied|NotAuthorized|Forbidden/.test(error.name);
}

function isPermanent(error: unknown): boolean {
  if (error instanceof RefusedObject) return true;
  return error instanceof Error && permanentErrors.has(error.name);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
