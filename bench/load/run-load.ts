import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../workload/random.ts';
import type { PreparedRequest } from '../workload/request-pool.ts';
import { HttpConnection, type HttpReply } from './http-connection.ts';
import type { LoadOutcome, LoadRequest } from './messages.ts';

const maxLatencies = 200_000;
const pushBackPauseMs = 50;

interface Tally {
  events: number;
  requests: number;
  bytes: number;
  pushedBack: number;
  readonly latenciesMs: number[];
}

/** Sends requests of the pool over several connections until the time or the number of events is reached. */
export async function runLoad(
  pool: readonly PreparedRequest[],
  load: LoadRequest,
): Promise<LoadOutcome> {
  if (load.connections > pool.length) throw new Error('each connection needs a request of its own');
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => HttpConnection.open(load.address)),
  );
  const tally: Tally = { events: 0, requests: 0, bytes: 0, pushedBack: 0, latenciesMs: [] };
  const startedCpu = process.cpuUsage();
  const startedMs = performance.now();
  const plan = new SendPlan(pool, load, startedMs);
  try {
    await Promise.all(connections.map((connection) => drive(connection, plan, tally)));
  } finally {
    for (const connection of connections) connection.close();
  }
  const cpu = process.cpuUsage(startedCpu);
  return {
    acknowledgedEvents: tally.events,
    acknowledgedRequests: tally.requests,
    sentBytes: tally.bytes,
    elapsedMs: performance.now() - startedMs,
    pushedBack: tally.pushedBack,
    latenciesMs: tally.latenciesMs,
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  };
}

/** Which request goes out next, and when. One request is never on two connections at once. */
class SendPlan {
  readonly #free: PreparedRequest[];
  readonly #load: LoadRequest;
  readonly #startedMs: number;
  readonly #random = new Random(0x5eed);
  #claimedEvents = 0;

  constructor(pool: readonly PreparedRequest[], load: LoadRequest, startedMs: number) {
    this.#free = [...pool];
    this.#load = load;
    this.#startedMs = startedMs;
  }

  /** Undefined when the load is over. `dueMs` is when the request should have left. */
  next(): { request: PreparedRequest; dueMs: number } | undefined {
    const { events = Infinity, durationMs = Infinity, eventsPerSecond } = this.#load;
    const nowMs = performance.now();
    const dueMs =
      eventsPerSecond === undefined
        ? nowMs
        : this.#startedMs + (this.#claimedEvents / eventsPerSecond) * 1000;
    if (this.#claimedEvents >= events || Math.max(nowMs, dueMs) - this.#startedMs >= durationMs) {
      return undefined;
    }
    const request = this.#free.shift();
    if (request === undefined) throw new Error('no free request');
    this.#claimedEvents += request.events;
    return { request, dueMs };
  }

  stamp(request: PreparedRequest): void {
    request.stamp(Date.now(), this.#random);
  }

  giveBack(request: PreparedRequest): void {
    this.#free.push(request);
  }
}

async function drive(connection: HttpConnection, plan: SendPlan, tally: Tally): Promise<void> {
  for (let next = plan.next(); next !== undefined; next = plan.next()) {
    const { request, dueMs } = next;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    plan.stamp(request);
    // From when it was due: a stall counts for every request that had to wait behind it.
    const fromMs = Math.min(dueMs, performance.now());
    await sendUntilAccepted(connection, request, tally);
    tally.events += request.events;
    tally.requests += 1;
    tally.bytes += request.bytes.length;
    if (tally.latenciesMs.length < maxLatencies) tally.latenciesMs.push(performance.now() - fromMs);
    plan.giveBack(request);
  }
}

async function sendUntilAccepted(
  connection: HttpConnection,
  request: PreparedRequest,
  tally: Tally,
): Promise<void> {
  for (;;) {
    const reply = await connection.send(request.bytes);
    if (isWhole(reply)) return;
    if (reply.status !== 503) {
      throw new Error(`a request was answered ${reply.status}: ${reply.bodyStart}`);
    }
    tally.pushedBack += 1;
    await sleep(pushBackPauseMs);
  }
}

/** Accepted with every event in it. */
function isWhole({ status, bodyStart }: HttpReply): boolean {
  return status === 200 && !bodyStart.includes('"errors":true') && !bodyStart.includes('artial');
}
