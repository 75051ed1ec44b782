import { expect, it } from 'vitest';
import { NodeError } from '../base/errors.ts';
import { Secret } from '../base/secret.ts';
import { formatHumanLine } from './human-log.ts';
import { createLogger, type Logger } from './logger.ts';
import { MetricRegistry } from './metrics.ts';

function capture(format: 'json' | 'human' = 'json'): { logger: Logger; text(): string } {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return {
    logger: createLogger({ level: 'debug', format, destination }),
    text: () => lines.join(''),
  };
}

it('never logs a secret, whichever way it is passed', () => {
  const { logger, text } = capture();
  const planted = 'hunter2';
  logger.info({ token: planted, headers: { authorization: planted }, value: new Secret(planted) });
  logger.child({ password: planted }).error({ err: new NodeError('config_invalid', 'x') });
  expect(text()).not.toContain(planted);
  expect(text().match(/\[redacted\]/g)).toHaveLength(4);
});

it('logs an expected failure with its code and data and without a stack', () => {
  const { logger, text } = capture();
  const err = new NodeError('storage_unavailable', 'retry', { internal: { path: '/x' } });
  logger.warn({ err }, 'publish failed');
  expect(JSON.parse(text())).toMatchObject({
    level: 'warn',
    msg: 'publish failed',
    err: { code: 'storage_unavailable', message: 'retry', internal: { path: '/x' } },
  });
  expect(text()).not.toContain('stack');
});

it('logs the stack of an unexpected failure', () => {
  const { logger, text } = capture();
  logger.error({ err: new Error('boom') });
  expect(text()).toContain('telemetry.test.ts');
});

it('writes one line for people per record', () => {
  const line = formatHumanLine(
    '{"level":"info","time":"2026-01-02T03:04:05.678Z","module":"http","address":"[::1]:80","msg":"listening"}',
  );
  expect(line.replaceAll(/\u001B\[\d+m/g, '')).toBe(
    '03:04:05.678 INFO  http     listening address=[::1]:80\n',
  );
});

it('renders counters, gauges and histograms as Prometheus text', () => {
  const metrics = new MetricRegistry();
  metrics.counter('varve_a_total', 'A\nb.').add(2, { code: 'x"\\\n' });
  const gauge = metrics.gauge('varve_b', 'B.');
  gauge.set(1);
  gauge.set(Infinity);
  const histogram = metrics.histogram('varve_c_seconds', 'C.', [0.1, 1]);
  for (const value of [0.1, 0.5, 9]) histogram.observe(value, { route: '/' });
  metrics.observed('gauge', { name: 'varve_d', help: 'D.' }, () => [{ value: 7 }]);
  expect(metrics.render()).toBe(`# HELP varve_a_total A\\nb.
# TYPE varve_a_total counter
varve_a_total{code="x\\"\\\\\\n"} 2
# HELP varve_b B.
# TYPE varve_b gauge
varve_b +Inf
# HELP varve_c_seconds C.
# TYPE varve_c_seconds histogram
varve_c_seconds_bucket{route="/",le="0.1"} 1
varve_c_seconds_bucket{route="/",le="1"} 2
varve_c_seconds_bucket{route="/",le="+Inf"} 3
varve_c_seconds_sum{route="/"} 9.6
varve_c_seconds_count{route="/"} 3
# HELP varve_d D.
# TYPE varve_d gauge
varve_d 7
`);
});

it('refuses two metrics of one name', () => {
  const metrics = new MetricRegistry();
  metrics.counter('varve_a_total', 'A.');
  expect(() => metrics.gauge('varve_a_total', 'A.')).toThrow('exists already');
});
