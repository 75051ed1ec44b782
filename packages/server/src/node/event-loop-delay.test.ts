import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MetricRegistry } from '../telemetry/index.ts';
import { registerEventLoopDelay } from './event-loop-delay.ts';

test('shows a blocked main thread once', async () => {
  const metrics = new MetricRegistry();
  registerEventLoopDelay(metrics);
  const longest = (): number =>
    Number(/quantile="1"\} (\S+)/.exec(metrics.render())?.[1] ?? Number.NaN);
  await sleep(50);
  const untilMs = performance.now() + 1000;
  while (performance.now() < untilMs);
  await sleep(50);
  expect(longest()).toBeGreaterThan(0.9);
  expect(longest()).toBe(0);
});
