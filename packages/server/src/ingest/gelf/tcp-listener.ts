import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { type Clock, systemClock } from '../../base/clock.ts';
import {
  minTlsVersion,
  readTlsMaterial,
  type TlsFiles,
  type TlsMaterial,
} from '../../base/tls-material.ts';
import { type IngestListener, type ListenerAccount, ListenerLedger } from '../http/index.ts';
import { FrameSender } from './frame-sender.ts';
import { FrameSplitter } from './frame-splitter.ts';
import type { GelfSocketOptions } from './udp-listener.ts';

const maxConnections = 8192;
const handshakeTimeout = 15_000;
/** Bytes of frames whose end has not come, over all connections. */
const heldMaxBytes = 64 * 1024 * 1024;
/** A frame that stands still this long is given up; an idle connection between two frames is kept. */
const frameIdleMs = 60_000;

export interface GelfTcpOptions extends GelfSocketOptions {
  readonly delimiter: 'nul' | 'newline';
  /** With it the port speaks TLS only. */
  readonly tls?: TlsFiles | undefined;
}

/**
 * GELF over TCP: JSON messages that each end with a NUL byte. Senders get no answer; when events cannot be stored
 * their connections are not read until they can. A frame that cannot be taken is counted and costs no other one.
 */
export class GelfTcpListener implements IngestListener {
  readonly #options: GelfTcpOptions;
  readonly #server: Server | TlsServer;
  readonly #ledger = new ListenerLedger();
  readonly #sender: FrameSender;
  readonly #sockets = new Set<Socket>();
  #heldBytes = 0;
  #isOpen = true;

  private constructor(options: GelfTcpOptions, tls: TlsMaterial | undefined) {
    this.#options = options;
    const clock: Clock = options.clock ?? systemClock;
    this.#sender = new FrameSender({
      ...options,
      clock,
      listener: options.name,
      ledger: this.#ledger,
      isRetrying: true,
      onRoom: () => this.#resume(),
    });
    this.#server =
      tls === undefined
        ? createServer((socket) => this.#serve(socket))
        : createTlsServer({ ...tls, handshakeTimeout, minVersion: minTlsVersion }, (socket) =>
            this.#serve(socket),
          );
    this.#server.maxConnections = maxConnections;
  }

  /** Resolves when the port is bound; rejects when it cannot be. */
  static async open(options: GelfTcpOptions): Promise<GelfTcpListener> {
    const { tls, name, log, address } = options;
    const material = tls === undefined ? undefined : await readTlsMaterial(tls);
    const listener = new GelfTcpListener(options, material);
    const server = listener.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.port, address.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    server.on('error', (err) => log.error({ listener: name, err }, 'the TCP server failed'));
    log.info({ listener: name, ...listener.address }, 'listening');
    return listener;
  }

  get address(): { readonly host: string; readonly port: number } {
    const { address, port } = this.#server.address() as AddressInfo;
    return { host: address, port };
  }

  account(): ListenerAccount {
    const { name, port } = this.#options;
    return this.#ledger.account(name, this.#isOpen && port.isAccepting());
  }

  async reloadTls(): Promise<void> {
    const { tls } = this.#options;
    if (tls === undefined || !('setSecureContext' in this.#server)) return;
    this.#server.setSecureContext(await readTlsMaterial(tls));
  }

  /** Closes all connections; what was read from them is stored first, for at most `graceMs`. */
  async close(graceMs = 10_000): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    await this.#sender.close(graceMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #serve(socket: Socket): void {
    const peer = socket.remoteAddress ?? '';
    const splitter = new FrameSplitter({
      maxFrameBytes: this.#options.maxMessageBytes,
      isLineFeedEnd: this.#options.delimiter === 'newline',
      onFrame: (frame) => this.#sender.add(peer, frame),
      onLost: (reason) => this.#ledger.noteLost(reason, 1),
      hold: (bytes) => this.#hold(bytes),
    });
    this.#sockets.add(socket);
    socket.setTimeout(frameIdleMs, () => {
      if (!socket.isPaused()) splitter.abandon('ingest_incomplete_message');
    });
    socket.on('data', (chunk: Uint8Array) => {
      splitter.add(chunk);
      if (!this.#sender.hasRoom) socket.pause();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', (hadError) => {
      this.#sockets.delete(socket);
      if (hadError || !this.#isOpen) splitter.abandon('ingest_incomplete_message');
      else splitter.end();
    });
    if (!this.#sender.hasRoom) socket.pause();
  }

  #resume(): void {
    for (const socket of this.#sockets) socket.resume();
  }

  #hold(bytes: number): boolean {
    if (this.#heldBytes + bytes > heldMaxBytes) return false;
    this.#heldBytes += bytes;
    return true;
  }
}
