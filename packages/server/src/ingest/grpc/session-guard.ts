import type { ServerHttp2Session } from 'node:http2';
import type { Clock } from '../../base/clock.ts';

export interface SessionTimeouts {
  /** Between two pings to the peer. */
  readonly pingMs: number;
  /** Until the peer must have answered a ping. */
  readonly pingAnswerMs: number;
  /** Without any call; the peer is told to connect again when it has one. */
  readonly idleMs: number;
}

/** One connection: finds peers that are gone, and lets those go that have nothing to say. */
export class SessionGuard {
  readonly #session: ServerHttp2Session;
  readonly #timeouts: SessionTimeouts;
  readonly #clock: Clock;
  #cancelPing: () => void;
  #lastCallMs: number;
  #calls = 0;

  constructor(session: ServerHttp2Session, timeouts: SessionTimeouts, clock: Clock) {
    this.#session = session;
    this.#timeouts = timeouts;
    this.#clock = clock;
    this.#lastCallMs = clock.monotonicMs();
    this.#cancelPing = clock.after(timeouts.pingMs, () => this.#check());
    session.once('close', () => this.#cancelPing());
  }

  noteCall(): void {
    this.#calls++;
  }

  noteEndOfCall(): void {
    this.#calls--;
    this.#lastCallMs = this.#clock.monotonicMs();
  }

  #check(): void {
    const session = this.#session;
    if (session.destroyed) return;
    const { pingMs, pingAnswerMs, idleMs } = this.#timeouts;
    if (this.#calls === 0 && this.#clock.monotonicMs() - this.#lastCallMs >= idleMs) {
      session.close();
    }
    this.#cancelPing = this.#clock.after(pingAnswerMs, () => session.destroy());
    // A connection that cannot send pings any more is closing, and the timer ends it.
    session.ping((error) => {
      if (error !== null) return;
      this.#cancelPing();
      if (!session.destroyed) this.#cancelPing = this.#clock.after(pingMs, () => this.#check());
    });
  }
}
