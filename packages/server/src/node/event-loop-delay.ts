import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricRegistry } from '../telemetry/index.ts';

const resolutionMs = 10;

/** How long the main thread kept callbacks waiting since the metrics were last read. */
export function registerEventLoopDelay(metrics: MetricRegistry): void {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  metrics.observed(
    'gauge',
    {
      name: 'varve_event_loop_delay_seconds',
      help: 'Delay of the main event loop since the last scrape: 99th percentile and maximum.',
    },
    () => {
      // The monitor counts whole turns of its timer; what is over its resolution is delay.
      const seconds = (ns: number): number => Math.max(0, ns / 1e9 - resolutionMs / 1000);
      const samples = [
        { labels: { quantile: '0.99' }, value: seconds(delay.percentile(99)) },
        { labels: { quantile: '1' }, value: seconds(delay.max) },
      ];
      delay.reset();
      return samples;
    },
  );
}
