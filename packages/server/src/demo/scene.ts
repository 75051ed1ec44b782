import type { AttributeValue, Severity } from './demo-event.ts';
import type { Random } from './random.ts';

/** What one request (or one background tick) is about; lines take their values from here. */
export interface Scene {
  readonly random: Random;
  readonly region: string;
  readonly user: string;
  readonly ip: string;
  readonly order: string;
  readonly sku: string;
  readonly method: string;
  readonly currency: string;
  readonly amount: string;
  readonly words: string;
  readonly route: string;
  /** Milliseconds of the step that a line speaks of; set before each line. */
  durationMs: number;
  attempt: number;
}

export const regions: readonly [string, ...string[]] = ['eu-west-1', 'us-east-1', 'ap-south-1'];
const methods: readonly [string, ...string[]] = ['card', 'card', 'card', 'paypal', 'sepa', 'sepa'];
const currencies: Readonly<Record<string, string>> = {
  'eu-west-1': 'EUR',
  'us-east-1': 'USD',
  'ap-south-1': 'INR',
};
const adjectives: readonly [string, ...string[]] = [
  'blue',
  'warm',
  'light',
  'waterproof',
  'organic',
  'small',
  'vintage',
  'wool',
  'steel',
  'folding',
];
const things: readonly [string, ...string[]] = [
  'jacket',
  'kettle',
  'lamp',
  'tent',
  'backpack',
  'notebook',
  'mug',
  'bicycle',
  'chair',
  'scarf',
  'boots',
  'radio',
];

export function createScene(random: Random, route: string): Scene {
  const region = random.pick(regions);
  return {
    random,
    region,
    // Squared: some customers come far more often than others.
    user: `u${100000 + Math.floor(random.next() ** 2 * 48000)}`,
    ip: `10.${random.int(16, 31)}.${random.int(0, 255)}.${random.int(1, 254)}`,
    order: `ORD-${random.int(1000000, 9999999)}`,
    sku: `SKU-${random.int(1000, 9999)}`,
    method: random.pick(methods),
    currency: currencies[region] ?? 'EUR',
    amount: random.latency(54, 0.8).toFixed(2),
    words: `${random.pick(adjectives)} ${random.pick(things)}`,
    route,
    durationMs: 0,
    attempt: 1,
  };
}

/** A line of a service's repertoire: how grave, how common, and its text with `{placeholders}`. */
export type Line = readonly [severity: Severity, weight: number, template: string];

type Part = string | ((scene: Scene) => string);

export interface CompiledLine {
  readonly severity: Severity;
  readonly render: (scene: Scene) => string;
}

/** Picks lines by weight. */
export class Repertoire {
  readonly #lines: readonly CompiledLine[];
  readonly #cumulative: readonly number[];
  readonly #total: number;

  constructor(lines: readonly Line[]) {
    let total = 0;
    this.#lines = lines.map(([severity, , template]) => ({ severity, render: compile(template) }));
    this.#cumulative = lines.map(([, weight]) => (total += weight));
    this.#total = total;
  }

  pick(random: Random): CompiledLine {
    const roll = random.next() * this.#total;
    const index = this.#cumulative.findIndex((edge) => roll < edge);
    const line = this.#lines[index] ?? this.#lines[0];
    if (line === undefined) throw new Error('a repertoire needs at least one line');
    return line;
  }
}

const placeholders: Readonly<Record<string, (scene: Scene) => string>> = {
  user: (s) => s.user,
  ip: (s) => s.ip,
  order: (s) => s.order,
  sku: (s) => s.sku,
  method: (s) => s.method,
  currency: (s) => s.currency,
  amount: (s) => s.amount,
  words: (s) => s.words,
  route: (s) => s.route,
  region: (s) => s.region,
  attempt: (s) => String(s.attempt),
  ms: (s) => String(Math.round(s.durationMs)),
  seconds: (s) => (s.durationMs / 1000).toFixed(3),
  email: (s) => `${s.user}@example.com`,
  digit: (s) => String(s.random.int(1, 9)),
  count: (s) => String(s.random.int(1, 400)),
  big: (s) => String(s.random.int(10000, 9999999)),
  pct: (s) => String(s.random.int(1, 97)),
  kb: (s) => String(s.random.int(1, 2048)),
  port: (s) => String(s.random.int(32768, 60999)),
  pid: (s) => String(s.random.int(2, 32000)),
  card: (s) => `****${s.random.int(1000, 9999)}`,
  partition: (s) => String(s.random.int(0, 11)),
  hex: (s) => s.random.hex(1),
  hex16: (s) => s.random.hex(2),
  uuid: (s) => uuid(s.random),
  node: (s) => `node-${s.random.int(1, 6)}`,
};

function compile(template: string): (scene: Scene) => string {
  const parts: Part[] = template.split(/\{(\w+)\}/).map((piece, index): Part => {
    if (index % 2 === 0) return piece;
    const placeholder = placeholders[piece];
    if (placeholder === undefined) throw new Error(`unknown placeholder ${piece} in ${template}`);
    return placeholder;
  });
  return (scene) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : part(scene);
    return text;
  };
}

function uuid(random: Random): string {
  const hex = random.hex(4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The attributes that every event of a request carries. */
export function requestAttributes(scene: Scene): Record<string, AttributeValue> {
  return {
    'user.id': scene.user,
    'http.route': scene.route,
    'cloud.region': scene.region,
    'client.address': scene.ip,
    duration_ms: Math.round(scene.durationMs),
  };
}
