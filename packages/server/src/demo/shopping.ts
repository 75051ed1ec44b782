import {
  checkoutLines,
  checkoutV1Lines,
  checkoutV2Lines,
  inventoryLines,
  mailerLines,
  paymentLines,
} from './line/order.ts';
import { kafkaConsumerLines } from './line/platform.ts';
import { authLines, gatewayLines, searchLines } from './line/storefront.ts';
import { RequestTrace } from './request.ts';
import { createScene } from './scene.ts';
import type { Stage } from './stage.ts';

/** Customers browse, search, sign in and buy; each request is one trace. */
export function playCustomer(stage: Stage): void {
  const roll = stage.random.next();
  if (roll < 0.42) browse(stage);
  else if (roll < 0.64) lookFor(stage);
  else if (roll < 0.76) signIn(stage);
  else buy(stage);
}

function browse(stage: Stage): void {
  const scene = createScene(stage.random, '/api/products/{sku}');
  const trace = new RequestTrace(stage, scene);
  trace.spend(stage.random.latency(6));
  if (stage.random.chance(0.35)) trace.line('gateway', gatewayLines);
  if (stage.random.chance(0.6) && !trace.isStruck('inventory')) {
    trace.spend(stage.random.latency(12));
    trace.line('inventory', inventoryLines);
  }
  trace.finish('GET', `/api/products/${scene.sku}`);
}

function lookFor(stage: Stage): void {
  const scene = createScene(stage.random, '/api/search');
  const trace = new RequestTrace(stage, scene);
  trace.spend(stage.random.latency(60, 0.7));
  if (!trace.isStruck('search')) {
    trace.line('search', searchLines);
    if (stage.random.chance(0.5)) trace.line('search', searchLines);
  }
  trace.finish('GET', `/api/search?q=${encodeURIComponent(scene.words)}`);
}

function signIn(stage: Stage): void {
  const scene = createScene(stage.random, '/api/session');
  const trace = new RequestTrace(stage, scene);
  trace.spend(stage.random.latency(90));
  if (!trace.isStruck('auth')) {
    const line = authLines.pick(stage.random);
    trace.say('auth', line.severity, line.render(scene));
    if (line.severity === 'WARN') trace.status = 401;
  }
  trace.finish('POST', '/api/session');
}

function buy(stage: Stage): void {
  const scene = createScene(stage.random, '/api/orders');
  const trace = new RequestTrace(stage, scene);
  trace.spend(stage.random.latency(15));
  if (stage.random.chance(0.4)) trace.line('auth', authLines);
  trace.line('checkout', checkoutLines);
  trace.line('checkout', trace.isCheckoutV2 ? checkoutV2Lines : checkoutV1Lines);
  if (hasStock(trace) && isPaid(trace)) confirm(trace);
  trace.finish('POST', '/api/orders');
}

function hasStock(trace: RequestTrace): boolean {
  const { scene, stage } = trace;
  const { random, situation } = stage;
  if (situation.failoverAgeMs !== undefined && situation.failoverAgeMs < 45_000) {
    trace.spend(random.latency(2000, 0.1));
    trace.say('checkout', 'ERROR', `no writable database connection for ${scene.order}`, {
      'error.type': 'database_unavailable',
    });
    trace.status = 503;
    return false;
  }
  if (situation.isRetryStorm) return retryReservation(trace);
  if (trace.isStruck('inventory')) return false;
  trace.spend(random.latency(25));
  trace.line('inventory', inventoryLines);
  if (random.chance(0.12)) {
    const table = random.pick(['stock', 'orders', 'baskets']);
    trace.say(
      'postgres',
      'WARN',
      `duration: ${random.latency(700).toFixed(3)} ms  statement: UPDATE ${table} SET version = version + 1 WHERE id = ${random.int(1, 900000)}`,
      { 'db.system': 'postgresql', 'db.table': table },
    );
  }
  return true;
}

/** Every refusal makes checkout ask again, which is what keeps inventory busy refusing. */
function retryReservation(trace: RequestTrace): boolean {
  const { scene, stage } = trace;
  for (scene.attempt = 1; scene.attempt <= 5; scene.attempt++) {
    trace.spend(stage.random.latency(120 * scene.attempt, 0.2));
    if (stage.random.chance(0.15)) {
      trace.line('inventory', inventoryLines);
      return true;
    }
    trace.say('inventory', 'ERROR', `reservation queue is full, ${scene.order} shed`, {
      attempt: scene.attempt,
    });
    trace.say(
      'checkout',
      'WARN',
      `inventory answered 503 for ${scene.order}, attempt ${scene.attempt} of 5`,
      { attempt: scene.attempt },
    );
  }
  trace.fail('checkout', 504);
  return false;
}

function isPaid(trace: RequestTrace): boolean {
  const { scene, stage } = trace;
  const { random } = stage;
  if (trace.isStruck('payment')) return false;
  const attributes = { 'payment.method': scene.method, 'order.id': scene.order };
  // What version 2 broke: one method in one region; either alone is innocent.
  const isSlow = trace.isCheckoutV2 && scene.method === 'sepa' && scene.region === 'eu-west-1';
  trace.spend(random.latency(180) + (isSlow ? random.latency(1900, 0.25) : 0));
  if (random.chance(0.7)) {
    const line = paymentLines.pick(random);
    trace.say('payment', line.severity, line.render(scene), attributes);
  }
  trace.say(
    'payment',
    'INFO',
    JSON.stringify({
      event: 'payment.authorised',
      order: scene.order,
      method: scene.method,
      amount: Number(scene.amount),
      currency: scene.currency,
      took_ms: Math.round(scene.durationMs),
    }),
    attributes,
  );
  if (scene.durationMs > 1500) {
    trace.say(
      'checkout',
      'WARN',
      `payment for ${scene.order} took ${Math.round(scene.durationMs)} ms, over the budget of 1500 ms`,
      attributes,
    );
  }
  return true;
}

function confirm(trace: RequestTrace): void {
  const { scene, stage } = trace;
  const { random } = stage;
  trace.spend(random.latency(20));
  trace.status = 201;
  trace.say(
    'checkout',
    'INFO',
    `order ${scene.order} confirmed: ${scene.amount} ${scene.currency} by ${scene.method}`,
    {
      'payment.method': scene.method,
      'order.id': scene.order,
      'order.amount': Number(scene.amount),
    },
  );
  trace.spend(random.latency(40));
  trace.line('kafka-consumer', kafkaConsumerLines);
  trace.spend(random.latency(60));
  if (!trace.isStruck('mailer')) trace.line('mailer', mailerLines);
}
