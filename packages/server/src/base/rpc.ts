import type { ErrorCode } from '@varve/contract';
import { NodeError, type NodeErrorOptions } from './errors.ts';

/** One end of a channel between threads or processes: `MessagePort`, `Worker`, or a child process's IPC. */
export interface Channel {
  send(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  onMessage(receive: (message: unknown) => void): void;
}

interface WireError {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly options?: Omit<NodeErrorOptions, 'cause'>;
}

type WireMessage =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly method: string;
      readonly argument: unknown;
    }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: WireError }
  | { readonly kind: 'event'; readonly name: string; readonly argument: unknown };

/** Methods and events of one direction: name → argument and result. */
export type CallMap = Record<string, { argument: unknown; result: unknown }>;
export type EventMap = Record<string, unknown>;

export type Handlers<Calls extends CallMap> = {
  readonly [Name in keyof Calls]: (
    argument: Calls[Name]['argument'],
  ) => Calls[Name]['result'] | Promise<Calls[Name]['result']>;
};

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Typed calls over a channel. `NodeError`s keep their code across it; any other failure arrives as
 * `node_internal`. Calls in flight when the peer ends are rejected by `fail`.
 */
export class RpcClient<Calls extends CallMap, Events extends EventMap = Record<never, never>> {
  readonly #channel: Channel;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<keyof Events, (argument: never) => void>();
  #nextId = 1;
  #failure: Error | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.onMessage((message) => this.#receive(message as WireMessage));
  }

  call<Name extends keyof Calls & string>(
    method: Name,
    argument: Calls[Name]['argument'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<Calls[Name]['result']> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      const id = this.#nextId++;
      this.#pending.set(id, { resolve, reject });
      this.#channel.send({ kind: 'call', id, method, argument } satisfies WireMessage, transfer);
    });
  }

  on<Name extends keyof Events>(name: Name, listener: (argument: Events[Name]) => void): void {
    this.#listeners.set(name, listener);
  }

  /** The peer is gone: rejects every call in flight and every later one. */
  fail(error: Error): void {
    this.#failure = error;
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  #receive(message: WireMessage): void {
    if (message.kind === 'event') {
      const listener = this.#listeners.get(message.name);
      listener?.(message.argument as never);
      return;
    }
    if (message.kind === 'call') return;
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'result') pending?.resolve(message.value);
    else pending?.reject(fromWire(message.error));
  }
}

/** Answers calls from an `RpcClient`; `emit` sends it events. */
export class RpcServer<Calls extends CallMap, Events extends EventMap = Record<never, never>> {
  readonly #channel: Channel;
  readonly #handlers: Handlers<Calls>;

  constructor(channel: Channel, handlers: Handlers<Calls>) {
    this.#channel = channel;
    this.#handlers = handlers;
    channel.onMessage((message) => void this.#receive(message as WireMessage));
  }

  emit<Name extends keyof Events & string>(name: Name, argument: Events[Name]): void {
    this.#channel.send({ kind: 'event', name, argument } satisfies WireMessage);
  }

  async #receive(message: WireMessage): Promise<void> {
    if (message.kind !== 'call') return;
    const { id, method, argument } = message;
    try {
      const handler = this.#handlers[method];
      if (handler === undefined) throw new TypeError(`no method ${method}`);
      const value = await handler(argument);
      this.#channel.send({ kind: 'result', id, value } satisfies WireMessage);
    } catch (error) {
      this.#channel.send({ kind: 'failure', id, error: toWire(error) } satisfies WireMessage);
    }
  }
}

function toWire(error: unknown): WireError {
  if (error instanceof NodeError) {
    const { code, message, details, internal, retryAfterMs } = error;
    return {
      code,
      message,
      options: { details, internal, ...(retryAfterMs !== undefined && { retryAfterMs }) },
    };
  }
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function fromWire(error: WireError): Error {
  if (error.code !== undefined) return new NodeError(error.code, error.message, error.options);
  return new NodeError('node_internal', 'an internal part of the node failed', {
    internal: { remote: error.message },
  });
}
