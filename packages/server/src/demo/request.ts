import type { AttributeValue, JsonBody, Severity } from './demo-event.ts';
import { checkoutVersions, type ServiceName } from './fleet.ts';
import { stackTraces } from './line/stack-trace.ts';
import { requestAttributes, type Repertoire, type Scene } from './scene.ts';
import type { Stage } from './stage.ts';

const userAgents: readonly [string, ...string[]] = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148',
  'ShopApp/8.4 (Android 15)',
  'ShopApp/8.3 (iOS 18.5)',
];

/** One customer's request on its way through the services: one trace id, one span per service. */
export class RequestTrace {
  readonly scene: Scene;
  readonly stage: Stage;
  readonly #traceId: string;
  readonly #env: string;
  readonly #version: string;
  readonly #spans = new Map<ServiceName, string>();
  readonly #startMs: number;
  #nowMs: number;
  status = 200;

  constructor(stage: Stage, scene: Scene) {
    const { random, situation, slotMs } = stage;
    this.stage = stage;
    this.scene = scene;
    this.#traceId = random.hex(4);
    this.#env = random.chance(0.08) ? 'staging' : 'production';
    this.#version = random.chance(situation.checkoutV2Share)
      ? checkoutVersions.v2
      : checkoutVersions.v1;
    this.#startMs = slotMs + random.next() * 1000;
    this.#nowMs = this.#startMs;
  }

  get isCheckoutV2(): boolean {
    return this.#version === checkoutVersions.v2;
  }

  /** Time passes in the step that the next line speaks of. */
  spend(durationMs: number): void {
    this.#nowMs += durationMs;
    this.scene.durationMs = durationMs;
  }

  say(
    service: ServiceName,
    severity: Severity,
    body: string | JsonBody,
    attributes: Readonly<Record<string, AttributeValue>> = {},
  ): void {
    const { scene } = this;
    this.stage.say({
      service,
      timeMs: this.#nowMs,
      severity,
      body,
      region: scene.region,
      env: this.#env,
      attributes: { ...requestAttributes(scene), ...attributes },
      traceId: this.#traceId,
      spanId: this.#span(service),
      ...(service === 'checkout' ? { version: this.#version } : {}),
    });
  }

  line(service: ServiceName, repertoire: Repertoire): void {
    const line = repertoire.pick(this.scene.random);
    this.say(service, line.severity, line.render(this.scene));
  }

  /** During an error burst of this service, often fails the request with a stack trace. */
  isStruck(service: ServiceName): boolean {
    if (this.stage.situation.burst !== service || !this.scene.random.chance(0.4)) return false;
    this.fail(service, 500);
    return true;
  }

  fail(service: ServiceName, status: number): void {
    const trace = stackTraces[service];
    if (trace !== undefined) {
      this.say(service, 'ERROR', trace(this.scene), { 'error.type': `${service}_failed` });
    }
    this.status = status;
  }

  /** The gateway's access line, in JSON, which ends every request. */
  finish(method: string, path: string): void {
    const { random } = this.scene;
    const totalMs = Math.round((this.#nowMs - this.#startMs) * 10) / 10;
    this.scene.durationMs = totalMs;
    this.say(
      'gateway',
      this.status >= 500 ? 'ERROR' : this.status >= 400 ? 'WARN' : 'INFO',
      {
        message: `${method} ${path} ${this.status}`,
        method,
        path,
        status: this.status,
        duration_ms: totalMs,
        bytes: random.int(180, 48000),
        client: { address: this.scene.ip, user_agent: random.pick(userAgents) },
      },
      { 'http.request.method': method, 'http.response.status_code': this.status },
    );
  }

  #span(service: ServiceName): string {
    const known = this.#spans.get(service);
    if (known !== undefined) return known;
    const span = this.scene.random.hex(2);
    this.#spans.set(service, span);
    return span;
  }
}
