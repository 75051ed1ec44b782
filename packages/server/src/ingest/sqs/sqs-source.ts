import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type Clock, systemClock } from '../../base/clock.ts';
import { NodeError } from '../../base/errors.ts';
import {
  type IngestListener,
  type IngestPort,
  type InflightBudget,
  type ListenerAccount,
  ListenerLedger,
} from '../http/index.ts';
import { type ObjectLog, ObjectReader } from './object-reader.ts';
import { QueueReader } from './queue-reader.ts';

export interface SqsSourceOptions {
  /** Name in the ledger, `sqs`. */
  readonly name: string;
  readonly queueUrl: string;
  /** Undefined: as the AWS tools find them. */
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly s3Endpoint: string | undefined;
  readonly pathStyle: 'auto' | 'on' | 'off';
  readonly tenant: string;
  readonly maxObjectBytes: number;
  readonly maxEventBytes: number;
  readonly maxReceives: number;
  readonly port: IngestPort;
  readonly budget: InflightBudget;
  readonly log: ObjectLog;
  readonly clock?: Clock;
  readonly waitSecs?: number;
}

/** S3 objects that an SQS queue announces, as a source of events beside the listeners. */
export class SqsSource implements IngestListener {
  readonly #options: SqsSourceOptions;
  readonly #sqs: SQSClient;
  readonly #s3: S3Client;
  readonly #ledger = new ListenerLedger();
  readonly #queue: QueueReader;
  #isOpen = true;

  private constructor(options: SqsSourceOptions) {
    const { region, endpoint, s3Endpoint = endpoint, pathStyle, port } = options;
    const clock = options.clock ?? systemClock;
    const place = region === undefined ? {} : { region };
    this.#options = options;
    this.#sqs = new SQSClient({ ...place, ...(endpoint === undefined ? {} : { endpoint }) });
    this.#s3 = new S3Client({
      ...place,
      ...(s3Endpoint === undefined ? {} : { endpoint: s3Endpoint }),
      forcePathStyle: pathStyle === 'on' || (pathStyle === 'auto' && s3Endpoint !== undefined),
      followRegionRedirects: true,
    });
    const shared = { ...options, clock, ledger: this.#ledger };
    const { name, ...settings } = shared;
    this.#queue = new QueueReader({
      ...settings,
      sqs: this.#sqs,
      objects: new ObjectReader({ ...settings, listener: name, s3: this.#s3 }),
      isAccepting: () => port.isAccepting(),
    });
  }

  /** Starts to poll; a queue that cannot be reached is tried again for ever. @throws NodeError `config_invalid` */
  static open(options: SqsSourceOptions): SqsSource {
    if (!URL.canParse(options.queueUrl)) {
      throw new NodeError('config_invalid', 'ingest.sqs.queue_url is no URL');
    }
    const source = new SqsSource(options);
    source.#queue.start();
    options.log.info({ listener: options.name, queue_url: options.queueUrl }, 'polling');
    return source;
  }

  /** Where the queue is. */
  get address(): { readonly host: string; readonly port: number } {
    const { hostname, port, protocol } = new URL(this.#options.queueUrl);
    return { host: hostname, port: Number(port) || (protocol === 'http:' ? 80 : 443) };
  }

  account(): ListenerAccount {
    const { name, port } = this.#options;
    return this.#ledger.account(name, this.#isOpen && port.isAccepting());
  }

  /** It listens to nobody. */
  async reloadTls(): Promise<void> {}

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#queue.stop();
    this.#sqs.destroy();
    this.#s3.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
