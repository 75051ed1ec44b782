import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { type Clock, systemClock } from '../../base/clock.ts';
import {
  type IngestListener,
  type IngestPort,
  type InflightBudget,
  type ListenerAccount,
  ListenerLedger,
  type ListenerLog,
} from '../http/index.ts';
import { ChunkAssembler, isChunk } from './chunk-assembler.ts';
import { FrameSender } from './frame-sender.ts';

/** Holds a burst while the thread is busy; the kernel caps it at `net.core.rmem_max`. */
const receiveBufferBytes = 8 * 1024 * 1024;

export interface GelfSocketOptions {
  /** Name in the ledger, `gelf_udp`; also the source of the events. */
  readonly name: string;
  readonly address: { readonly host: string; readonly port: number };
  readonly tenant: string;
  readonly maxMessageBytes: number;
  readonly port: IngestPort;
  readonly budget: InflightBudget;
  readonly log: ListenerLog;
  readonly clock?: Clock;
}

/**
 * GELF over UDP: one message per datagram or in chunks. Senders get no answer and never repeat, so every message that
 * is received and not stored is counted with its reason; what the kernel drops is not seen.
 */
export class GelfUdpListener implements IngestListener {
  readonly #options: GelfSocketOptions;
  readonly #socket: Socket;
  readonly #ledger = new ListenerLedger();
  readonly #sender: FrameSender;
  readonly #chunks: ChunkAssembler;
  #isOpen = true;

  private constructor(options: GelfSocketOptions) {
    const clock = options.clock ?? systemClock;
    const { name, maxMessageBytes } = options;
    this.#options = options;
    this.#sender = new FrameSender({
      ...options,
      clock,
      listener: name,
      ledger: this.#ledger,
      isRetrying: false,
    });
    this.#chunks = new ChunkAssembler({
      maxMessageBytes,
      clock,
      onLost: (reason) => this.#ledger.noteLost(reason, 1),
    });
    this.#socket = createSocket({
      type: isIPv6(options.address.host) ? 'udp6' : 'udp4',
      recvBufferSize: receiveBufferBytes,
    });
    this.#socket.on('message', (datagram, remote) => this.#take(datagram, remote));
  }

  /** Resolves when the port is bound; rejects when it cannot be. */
  static async open(options: GelfSocketOptions): Promise<GelfUdpListener> {
    const listener = new GelfUdpListener(options);
    const socket = listener.#socket;
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ port: options.address.port, address: options.address.host }, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    const { name, log } = options;
    socket.on('error', (err) => log.error({ listener: name, err }, 'the UDP socket failed'));
    log.info({ listener: name, ...listener.address }, 'listening');
    return listener;
  }

  get address(): { readonly host: string; readonly port: number } {
    const { address, port } = this.#socket.address();
    return { host: address, port };
  }

  account(): ListenerAccount {
    const { name, port } = this.#options;
    return this.#ledger.account(name, this.#isOpen && port.isAccepting());
  }

  /** UDP has no TLS here. */
  async reloadTls(): Promise<void> {}

  async close(graceMs = 10_000): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await new Promise<void>((resolve) => {
      this.#socket.close(() => resolve());
    });
    this.#chunks.close();
    await this.#sender.close(graceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #take(datagram: Uint8Array, { address }: RemoteInfo): void {
    if (datagram.length === 0) return;
    const message = isChunk(datagram) ? this.#chunks.add(datagram, address) : datagram;
    if (message !== undefined) this.#sender.add(address, message);
  }
}
