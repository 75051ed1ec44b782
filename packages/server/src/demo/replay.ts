import type { Clock } from '../base/clock.ts';
import type { DemoEvent } from './demo-event.ts';
import { slotMs, type ShopGenerator } from './generator.ts';
import type { ShopTransport } from './shop-transport.ts';

export interface ReplayOptions {
  readonly generator: ShopGenerator;
  readonly transport: Pick<ShopTransport, 'send'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onHistory: (doneMs: number, totalMs: number) => void;
  readonly onLive: () => void;
}

const chunkEvents = 5000;
const chunksInFlight = 4;
const liveTickMs = 500;
/** While history is filled in, the present falls behind by no more than this. */
const presentLagMs = 5000;

/**
 * Fills in the history, newest first, so that the last hour is there within seconds; between chunks it catches up with
 * the present. Returns the time up to which everything has been sent.
 */
export async function replayHistory(options: ReplayOptions, historyMs: number): Promise<number> {
  const { generator, clock, transport, signal, onHistory } = options;
  const floorToSlot = (timeMs: number): number => Math.floor(timeMs / slotMs) * slotMs;
  const startMs = floorToSlot(clock.nowMs());
  const oldestMs = floorToSlot(startMs - historyMs);
  const chunkMs = Math.max(1, Math.round(chunkEvents / generator.rate)) * slotMs;
  let presentMs = startMs;
  const inFlight: Promise<void>[] = [];
  const dispatch = async (fromMs: number, toMs: number): Promise<void> => {
    signal.throwIfAborted();
    const sending = transport.send(Array.from(generator.window(fromMs, toMs)));
    // Awaited below; a fault must not count as unhandled meanwhile.
    sending.catch(() => undefined);
    inFlight.push(sending);
    if (inFlight.length >= chunksInFlight) await inFlight.shift();
  };
  for (let pastMs = startMs; pastMs > oldestMs;) {
    const nowMs = floorToSlot(clock.nowMs());
    if (nowMs - presentMs >= presentLagMs) {
      const toMs = Math.min(nowMs, presentMs + chunkMs);
      await dispatch(presentMs, toMs);
      presentMs = toMs;
    }
    const fromMs = Math.max(oldestMs, pastMs - chunkMs);
    await dispatch(fromMs, pastMs);
    pastMs = fromMs;
    onHistory(startMs - pastMs, startMs - oldestMs);
  }
  for (const sending of inFlight) await sending;
  return presentMs;
}

/** Sends every event when its time comes, from `fromMs` until `endMs` or an abort. */
export async function replayLive(
  options: ReplayOptions,
  fromMs: number,
  endMs: number,
): Promise<void> {
  const { generator, clock, transport, signal, onLive } = options;
  let nextSlotMs = fromMs;
  let waiting: DemoEvent[] = [];
  while (!signal.aborted) {
    const nowMs = Math.min(clock.nowMs(), endMs);
    while (nextSlotMs <= nowMs) {
      waiting.push(...generator.slot(nextSlotMs));
      nextSlotMs += slotMs;
      if (waiting.length >= chunkEvents) break;
    }
    const due = waiting.filter((event) => event.timeMs <= nowMs);
    waiting = waiting.filter((event) => event.timeMs > nowMs);
    if (due.length > 0) await transport.send(due);
    onLive();
    if (clock.nowMs() >= endMs) return;
    if (nextSlotMs > nowMs) await clock.sleep(liveTickMs, signal);
  }
}
