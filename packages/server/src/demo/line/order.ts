import { Repertoire, type Line } from '../scene.ts';

const checkout: readonly Line[] = [
  ['INFO', 8, 'order {order} placed by {user}: {amount} {currency} by {method}'],
  ['DEBUG', 5, 'basket of {user} has {digit} items'],
  ['INFO', 4, 'shipping quote for {order}: {digit} parcels, {ms} ms'],
  ['DEBUG', 4, 'address of {user} normalised in {ms} ms'],
  ['INFO', 2, 'voucher applied to {order}: {pct} percent'],
  ['INFO', 2, 'tax for {order} computed at {pct} basis points'],
  ['INFO', 1, 'basket of {user} expired with {digit} items'],
  ['INFO', 1, 'order {order} split into {digit} shipments'],
  ['WARN', 0.6, 'voucher rejected for {user}: already used'],
  ['WARN', 0.4, 'price of {sku} changed while {user} was paying'],
  ['WARN', 0.3, 'address check skipped for {order}: provider took {ms} ms'],
  ['INFO', 0.3, 'gift note added to {order}'],
  ['INFO', 0.2, 'order {order} held for review, score {pct}'],
  ['WARN', 0.2, 'basket of {user} merged with an older one, {digit} conflicts'],
  ['WARN', 0.1, 'currency table is {count} min old'],
  ['INFO', 0.1, 'order {order} cancelled by {user} within the grace period'],
  ['ERROR', 0.06, 'order {order} could not be confirmed: outbox is full'],
  ['ERROR', 0.05, 'shipping provider answered 502 for {order}'],
  ['WARN', 0.03, 'idempotency key {uuid} reused with a different body'],
  ['ERROR', 0.02, 'order {order} has a negative total, refused'],
  ['WARN', 0.02, 'thread pool saturated: {count} waiting'],
  ['INFO', 0.01, 'order {order} anonymised on request'],
];

/** Only version 1 says these; they fall silent when version 2 takes over. */
const checkoutV1: readonly Line[] = [
  ['INFO', 5, 'legacy pricing engine recalculated {order} in {ms} ms'],
  ['DEBUG', 1, 'legacy pricing rules loaded for {region}: {count} rules'],
];

/** New with version 2. */
const checkoutV2: readonly Line[] = [
  ['INFO', 5, 'price of {order} confirmed by pricing service revision {digit}'],
  ['DEBUG', 1, 'payment session {hex16} prefetched for {method}'],
];

const payment: readonly Line[] = [
  ['INFO', 8, 'authorised {amount} {currency} for {order} by {method} in {ms} ms'],
  ['DEBUG', 5, 'provider session {hex16} opened in {ms} ms'],
  ['INFO', 3, 'capture scheduled for {order}'],
  ['INFO', 2, 'card {card} verified for {user}'],
  ['INFO', 2, 'webhook {uuid} from provider accepted'],
  ['WARN', 1, 'card {card} declined for {order}: insufficient funds'],
  ['WARN', 0.6, 'card {card} declined for {order}: do not honour'],
  ['INFO', 0.6, 'strong customer authentication passed for {user}'],
  ['WARN', 0.4, 'strong customer authentication abandoned by {user} after {count} s'],
  ['INFO', 0.4, 'refund of {amount} {currency} for {order} sent'],
  ['INFO', 0.3, 'settlement file line {big} reconciled'],
  ['WARN', 0.3, 'risk score {pct} for {order}, manual review'],
  ['INFO', 0.2, 'mandate for {user} stored'],
  ['WARN', 0.2, 'provider took {ms} ms for {order}'],
  ['WARN', 0.1, 'webhook {uuid} arrived twice'],
  ['WARN', 0.1, 'currency {currency} not enabled for merchant account {digit}'],
  ['ERROR', 0.08, 'provider answered 500 for {order}, request {uuid}'],
  ['ERROR', 0.04, 'webhook signature invalid from {ip}'],
  ['WARN', 0.03, 'chargeback opened for {order}: {amount} {currency}'],
  ['INFO', 0.02, 'provider credentials rotated, {digit} connections drained'],
  ['ERROR', 0.02, 'ledger and provider differ by {amount} {currency} for {order}'],
  ['WARN', 0.01, 'vault latency {ms} ms, key cache extended'],
];

const inventory: readonly Line[] = [
  ['INFO', 8, 'reserved {digit} of {sku} for {order}'],
  ['DEBUG', 6, 'stock of {sku} is {count} in warehouse {digit}'],
  ['INFO', 3, 'stock level of {sku} read for {user} in {ms} ms'],
  ['INFO', 2, 'reservation for {order} confirmed'],
  ['INFO', 1, 'reservation for {order} released after {count} s'],
  ['WARN', 0.8, 'stock of {sku} is low: {digit} left'],
  ['WARN', 0.5, '{sku} is sold out in warehouse {digit}'],
  ['INFO', 0.5, 'restock of {sku}: {count} pieces arrived'],
  ['DEBUG', 0.5, 'row lock on {sku} held for {ms} ms'],
  ['INFO', 0.3, 'warehouse {digit} feed applied: {count} changes'],
  ['WARN', 0.2, 'optimistic lock on {sku} lost, attempt {digit}'],
  ['WARN', 0.2, 'warehouse {digit} feed is {count} s late'],
  ['INFO', 0.2, 'backorder created for {sku}'],
  ['WARN', 0.1, 'reservation for {order} expired before payment'],
  ['INFO', 0.1, 'cycle count of warehouse {digit} corrected {count} items'],
  ['ERROR', 0.06, 'reservation for {order} failed: deadlock detected'],
  ['WARN', 0.05, 'bundle {sku} refers to a missing part'],
  ['ERROR', 0.03, 'stock of {sku} would become negative, refused'],
  ['WARN', 0.02, 'goroutine count {count}0 above watermark'],
  ['ERROR', 0.02, 'warehouse {digit} feed has an unknown schema revision {count}'],
  ['INFO', 0.01, 'recall flag set on {sku}'],
];

const mailer: readonly Line[] = [
  ['INFO', 8, 'order confirmation for {order} queued for {email}'],
  ['INFO', 6, 'message {uuid} accepted by mx{digit}.example.net in {ms} ms'],
  ['DEBUG', 3, 'template order-confirmation rendered in {ms} ms'],
  ['INFO', 2, 'shipping notice for {order} sent'],
  ['INFO', 1, 'newsletter batch {count} sent, {big} recipients'],
  ['WARN', 1, 'message {uuid} deferred by mx{digit}.example.net: greylisted'],
  ['WARN', 0.5, 'bounce for {email}: mailbox full'],
  ['WARN', 0.4, 'bounce for {email}: no such user'],
  ['INFO', 0.3, 'unsubscribe recorded for {email}'],
  ['DEBUG', 0.3, 'dkim signature added with selector s{digit}'],
  ['INFO', 0.2, 'connection to mx{digit}.example.net reused {count} times'],
  ['WARN', 0.2, 'queue length {count}, oldest message {count} s'],
  ['WARN', 0.1, 'complaint from {email} recorded'],
  ['WARN', 0.1, 'template shipping-notice has no text for locale pt'],
  ['ERROR', 0.05, 'mx{digit}.example.net refused {uuid}: sender throttled'],
  ['ERROR', 0.03, 'template order-confirmation failed: missing value total'],
  ['WARN', 0.02, 'dns lookup of example.org took {ms} ms'],
  ['INFO', 0.02, 'suppression list reloaded, {big} addresses'],
  ['ERROR', 0.01, 'spool volume {pct} percent full'],
];

export const checkoutLines = new Repertoire(checkout);
export const checkoutV1Lines = new Repertoire(checkoutV1);
export const checkoutV2Lines = new Repertoire(checkoutV2);
export const paymentLines = new Repertoire(payment);
export const inventoryLines = new Repertoire(inventory);
export const mailerLines = new Repertoire(mailer);
