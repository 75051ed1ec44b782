export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(amount: number, labels?: Labels): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
}

export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Sample lines in the order their label sets first appeared. */
  render(): Iterable<string>;
}

/** Seconds, from a millisecond to a minute. */
export const DURATION_BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/**
 * The metrics of one node, rendered in the Prometheus text format 0.0.4. Names follow Prometheus:
 * `varve_` first, base unit last, counters end in `_total`. Label values must come from small closed sets.
 */
export class MetricRegistry {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string): Counter {
    const series = new Series();
    this.#register({ name, help, type: 'counter', render: () => series.render(name) });
    return { add: (amount, labels = {}) => series.set(labels, series.get(labels) + amount) };
  }

  gauge(name: string, help: string): Gauge {
    const series = new Series();
    this.#register({ name, help, type: 'gauge', render: () => series.render(name) });
    return { set: (value, labels = {}) => series.set(labels, value) };
  }

  /** A value that its owner already keeps: read when the metrics are rendered. */
  observed(
    type: 'counter' | 'gauge',
    metric: { readonly name: string; readonly help: string },
    read: () => Iterable<{ readonly labels?: Labels; readonly value: number }>,
  ): void {
    this.#register({
      ...metric,
      type,
      render: function* () {
        for (const { labels = {}, value } of read()) {
          yield `${metric.name}${renderLabels(labels)} ${renderNumber(value)}`;
        }
      },
    });
  }

  histogram(name: string, help: string, buckets: readonly number[] = DURATION_BUCKETS): Histogram {
    const cells = new Map<string, HistogramCell>();
    this.#register({
      name,
      help,
      type: 'histogram',
      render: function* () {
        for (const cell of cells.values()) yield* renderHistogram(name, buckets, cell);
      },
    });
    return {
      observe(value, labels = {}) {
        const key = renderLabels(labels);
        const cell = cells.get(key) ?? { labels, counts: buckets.map(() => 0), count: 0, sum: 0 };
        cells.set(key, cell);
        const index = buckets.findIndex((bound) => value <= bound);
        if (index >= 0) cell.counts[index] = (cell.counts[index] ?? 0) + 1;
        cell.count += 1;
        cell.sum += value;
      },
    };
  }

  render(): string {
    const lines: string[] = [];
    for (const family of this.#families.values()) {
      const { name, help, type } = family;
      lines.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`);
      lines.push(`# TYPE ${name} ${type}`, ...family.render());
    }
    return `${lines.join('\n')}\n`;
  }

  #register(family: Family): void {
    if (this.#families.has(family.name)) throw new Error(`metric ${family.name} exists already`);
    this.#families.set(family.name, family);
  }
}

interface HistogramCell {
  readonly labels: Labels;
  /** Per bucket, not cumulative. */
  readonly counts: number[];
  count: number;
  sum: number;
}

function* renderHistogram(
  name: string,
  buckets: readonly number[],
  cell: HistogramCell,
): Iterable<string> {
  let cumulative = 0;
  for (const [index, bound] of buckets.entries()) {
    cumulative += cell.counts[index] ?? 0;
    yield `${name}_bucket${renderLabels({ ...cell.labels, le: String(bound) })} ${cumulative}`;
  }
  yield `${name}_bucket${renderLabels({ ...cell.labels, le: '+Inf' })} ${cell.count}`;
  yield `${name}_sum${renderLabels(cell.labels)} ${renderNumber(cell.sum)}`;
  yield `${name}_count${renderLabels(cell.labels)} ${cell.count}`;
}

/** Values by label set. */
class Series {
  readonly #values = new Map<string, number>();

  get(labels: Labels): number {
    return this.#values.get(renderLabels(labels)) ?? 0;
  }

  set(labels: Labels, value: number): void {
    this.#values.set(renderLabels(labels), value);
  }

  *render(name: string): Iterable<string> {
    for (const [labels, value] of this.#values) yield `${name}${labels} ${renderNumber(value)}`;
  }
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const escaped = value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    return `${name}="${escaped}"`;
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function renderNumber(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
