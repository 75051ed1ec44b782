import { systemClock, type Clock } from '../base/clock.ts';
import { DemoError } from './demo-error.ts';
import { ShopGenerator } from './generator.ts';
import { findListeners } from './node-address.ts';
import { demoUsage, parseDemoOptions, type DemoOptions } from './options.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  progressBar,
  StatusLine,
  type Terminal,
} from './progress.ts';
import { replayHistory, replayLive, type ReplayOptions } from './replay.ts';
import { ShopTransport, type SentTotals } from './shop-transport.ts';
import { momentsBetween } from './timeline.ts';

export interface DemoHost {
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Stops the demo; without one, SIGINT and SIGTERM do. */
  readonly signal?: AbortSignal;
  /** Used where the arguments name none. */
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

const processTerminal: Terminal = {
  get isTty() {
    return process.stdout.isTTY === true;
  },
  get columns() {
    return process.stdout.columns || 80;
  },
  write: (text) => void process.stdout.write(text),
};

/**
 * The command `varve demo`. Resolves with the exit status: 0 when it ran its time or was stopped, 1 when the
 * node refused or could not be found, 2 when the arguments are wrong.
 */
export async function runDemo(
  argv: readonly string[],
  host: DemoHost = { terminal: processTerminal, clock: systemClock },
): Promise<number> {
  let options: DemoOptions | undefined;
  try {
    options = parseDemoOptions(argv, host);
  } catch (error) {
    if (!(error instanceof DemoError)) throw error;
    host.terminal.write(`varve demo: ${error.message}\n\n${demoUsage}`);
    return 2;
  }
  if (options === undefined) {
    host.terminal.write(demoUsage);
    return 0;
  }
  const { signal } = host;
  if (signal !== undefined) return play(options, { ...host, signal });
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  try {
    return await play(options, { ...host, signal: stop.signal });
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

interface PlayHost {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function play(options: DemoOptions, host: PlayHost): Promise<number> {
  const { clock, signal, terminal } = host;
  const status = new StatusLine(terminal, () => clock.monotonicMs());
  let transport: ShopTransport | undefined;
  try {
    transport = await connect(options, host, status);
    await replay(options, { ...host, transport, status });
  } catch (error) {
    if (!signal.aborted) {
      if (!(error instanceof DemoError)) throw error;
      status.print(`varve demo: ${error.message}`);
      if (transport !== undefined) status.print(summary(transport.totals));
      return 1;
    }
  }
  status.print(
    transport === undefined ? 'stopped before anything was sent' : summary(transport.totals),
  );
  return 0;
}

async function connect(
  options: DemoOptions,
  host: PlayHost,
  status: StatusLine,
): Promise<ShopTransport> {
  const { clock, signal } = host;
  const { url, token } = options;
  const isToldBoth = options.otlpUrl !== undefined && options.bulkUrl !== undefined;
  const found = isToldBoth ? undefined : await findListeners({ url, token, signal });
  const otlpUrl = options.otlpUrl ?? found?.otlp;
  const bulkUrl = options.bulkUrl ?? found?.bulk;
  if (otlpUrl === undefined && bulkUrl === undefined) {
    throw new DemoError('the node has neither an OTLP/HTTP nor a _bulk listener; enable one');
  }
  status.print(
    `sending to ${[otlpUrl, bulkUrl].filter((each) => each !== undefined).join(' and ')}`,
  );
  return new ShopTransport({
    otlpUrl,
    bulkUrl,
    token,
    clock,
    signal,
    onWait: (reason, delayMs) =>
      status.show(() => `waiting   ${reason}; sending again in ${formatDuration(delayMs)}`),
  });
}

async function replay(
  options: DemoOptions,
  host: PlayHost & { readonly transport: ShopTransport; readonly status: StatusLine },
): Promise<void> {
  const { clock, signal, transport, status } = host;
  const generator = new ShopGenerator(options);
  const startedMs = clock.monotonicMs();
  const replayOptions: ReplayOptions = {
    generator,
    transport,
    clock,
    signal,
    onHistory: (doneMs, totalMs) =>
      status.show(() => historyLine(transport, clock.monotonicMs() - startedMs, doneMs / totalMs)),
    onLive: () => status.show(() => `live      ${totalsText(transport.totals)}`),
  };
  const nowMs = clock.nowMs();
  const moments = momentsBetween(options.seed, nowMs - options.historyMs, nowMs);
  const presentMs = await replayHistory(replayOptions, options.historyMs);
  if (options.historyMs > 0) {
    const { otlpEvents, bulkEvents } = transport.totals;
    status.print(
      `history   ${formatCount(otlpEvents + bulkEvents)} events over ${formatDuration(options.historyMs)} in ${formatDuration(clock.monotonicMs() - startedMs)}`,
    );
    for (const { timeMs, title } of moments) {
      status.print(`          ${new Date(timeMs).toISOString().slice(0, 16)}Z  ${title}`);
    }
  }
  status.print(
    `live      about ${options.rate} events/s; open ${options.url} and look around (Ctrl-C stops)`,
  );
  await replayLive(replayOptions, presentMs, clock.nowMs() + options.durationMs);
}

function historyLine(transport: ShopTransport, elapsedMs: number, fraction: number): string {
  const { otlpEvents, bulkEvents } = transport.totals;
  const sent = otlpEvents + bulkEvents;
  const perSecond = (sent / Math.max(1, elapsedMs)) * 1000;
  const left =
    sent > 0 && fraction > 0.02
      ? `  ${formatDuration((elapsedMs / fraction) * (1 - fraction))} left`
      : '';
  return `history   ${progressBar(fraction)}  ${formatCount(sent)} events  ${formatCount(perSecond)}/s${left}`;
}

function totalsText(totals: SentTotals): string {
  return `${formatCount(totals.otlpEvents + totals.bulkEvents)} events sent (OTLP ${formatCount(totals.otlpEvents)}, _bulk ${formatCount(totals.bulkEvents)}), ${formatBytes(totals.bytes)}`;
}

function summary(totals: SentTotals): string {
  const notes = [
    totals.resentBatches > 0 ? `${formatCount(totals.resentBatches)} resends` : '',
    totals.alreadyStored > 0 ? `${formatCount(totals.alreadyStored)} were stored already` : '',
  ].filter((note) => note !== '');
  return `stopped   ${totalsText(totals)}${notes.length > 0 ? `; ${notes.join(', ')}` : ''}`;
}
