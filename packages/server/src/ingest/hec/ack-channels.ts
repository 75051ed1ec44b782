/** Channels that are kept. Some senders use a new one for every request and never ask for it. */
const maxChannels = 10_000;
/** Acknowledgements of one channel that nobody has asked for. */
const maxPendingPerChannel = 10_000;
const maxPending = 500_000;

interface Channel {
  nextId: number;
  readonly pending: Set<number>;
}

/**
 * Acknowledgement ids of the requests of each channel. Events are durable before a request is answered, so every id
 * handed out is true; it is told once and forgotten then, as senders expect. Bounded: the channel that was used least
 * recently, and the oldest ids of a channel, are forgotten first. To forget one can make its sender repeat a request,
 * never lose one. Kept in memory: after a restart all ids are unknown.
 */
export class AckChannels {
  /** Least recently used first. */
  readonly #channels = new Map<string, Channel>();
  #pending = 0;

  get size(): number {
    return this.#channels.size;
  }

  get pending(): number {
    return this.#pending;
  }

  /** The id of a request of this channel that was stored; they count from 0. */
  issue(name: string): number {
    const channel = this.#channels.get(name) ?? { nextId: 0, pending: new Set() };
    this.#channels.delete(name);
    this.#channels.set(name, channel);
    const id = channel.nextId++;
    channel.pending.add(id);
    this.#pending++;
    this.#shrink(channel);
    return id;
  }

  /** Whether the id was handed out and is told for the first time. */
  take(name: string, id: number): boolean {
    const isKnown = this.#channels.get(name)?.pending.delete(id) === true;
    if (isKnown) this.#pending--;
    return isKnown;
  }

  #shrink(newest: Channel): void {
    const [oldestId] = newest.pending;
    if (newest.pending.size > maxPendingPerChannel && oldestId !== undefined) {
      newest.pending.delete(oldestId);
      this.#pending--;
    }
    while (this.#channels.size > maxChannels || this.#pending > maxPending) {
      const [oldest] = this.#channels;
      if (oldest === undefined) return;
      this.#pending -= oldest[1].pending.size;
      this.#channels.delete(oldest[0]);
    }
  }
}
