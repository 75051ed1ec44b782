import { Repertoire, type Line } from '../scene.ts';

const postgres: readonly Line[] = [
  ['INFO', 8, 'connection authorized: user=shop database=shop application_name=checkout pid={pid}'],
  ['INFO', 6, 'disconnection: session time: 0:00:{digit}.{count} user=shop host={ip} port={port}'],
  ['INFO', 3, 'checkpoint complete: wrote {big} buffers; sync={seconds} s, total={seconds} s'],
  ['INFO', 3, 'checkpoint starting: time'],
  [
    'INFO',
    2,
    'automatic vacuum of table "shop.public.orders": removed {big} tuples, {count} remain',
  ],
  ['INFO', 2, 'automatic analyze of table "shop.public.stock": {ms} ms'],
  ['WARN', 1, 'process {pid} still waiting for ShareLock on transaction {big} after 1000 ms'],
  ['INFO', 1, 'process {pid} acquired ShareLock on transaction {big} after {ms} ms'],
  ['WARN', 0.5, 'temporary file: path "base/pgsql_tmp/pgsql_tmp{pid}.0", size {big}'],
  ['ERROR', 0.3, 'duplicate key value violates unique constraint "orders_idempotency_key"'],
  ['ERROR', 0.3, 'canceling statement due to statement timeout'],
  ['INFO', 0.3, 'recovery restart point at {hex}/{hex}'],
  ['WARN', 0.2, 'there is no transaction in progress'],
  ['ERROR', 0.1, 'deadlock detected: process {pid} waits for ShareLock on transaction {big}'],
  ['WARN', 0.1, 'replication slot "standby_{digit}" is {kb} MB behind'],
  ['INFO', 0.1, 'parameter "work_mem" changed to "{count}MB"'],
  ['ERROR', 0.05, 'could not serialize access due to concurrent update'],
  ['ERROR', 0.03, 'remaining connection slots are reserved for superuser'],
  ['WARN', 0.02, 'oldest xmin is far in the past, {big} transactions left'],
  ['ERROR', 0.01, 'invalid page in block {big} of relation base/{pid}/{big}'],
];

const redis: readonly Line[] = [
  ['INFO', 8, 'DB saved on disk'],
  ['INFO', 6, '{count} changes in 60 seconds. Saving...'],
  ['INFO', 6, 'Background saving started by pid {pid}'],
  ['INFO', 6, 'Background saving terminated with success'],
  ['DEBUG', 5, 'DB 0: {big} keys ({big} volatile) in {big} slots HT'],
  ['DEBUG', 5, '{count} clients connected ({digit} replicas), {big} bytes in use'],
  ['INFO', 2, 'Fork CoW for RDB: current {digit} MB, peak {count} MB'],
  ['WARN', 0.5, 'slow command: KEYS session:* took {ms} ms from {ip}:{port}'],
  ['INFO', 0.5, 'Asynchronous AOF fsync is taking too long (disk is busy?)'],
  ['INFO', 0.3, 'Replica {ip}:6379 asks for synchronization'],
  ['INFO', 0.3, 'Synchronization with replica {ip}:6379 succeeded'],
  ['WARN', 0.2, 'evicted {count} keys, maxmemory reached'],
  ['INFO', 0.2, 'AOF rewrite: {kb} MB saved'],
  ['WARN', 0.1, 'client id={big} addr={ip}:{port} closed: output buffer limit exceeded'],
  ['WARN', 0.1, 'latency spike: fork took {ms} ms'],
  ['ERROR', 0.03, 'MISCONF errors writing to the AOF file: No space left on device'],
  ['WARN', 0.02, 'connection with replica {ip}:6379 lost'],
  ['WARN', 0.01, 'possible attack: POST command from {ip} aborted'],
];

const kafkaConsumer: readonly Line[] = [
  [
    'INFO',
    8,
    'topic=orders partition={partition} offset={big} batch of {count} records in {ms} ms',
  ],
  ['DEBUG', 6, 'committed offset {big} for orders-{partition}'],
  ['INFO', 4, 'order event {uuid} projected to read model in {ms} ms'],
  ['DEBUG', 4, 'heartbeat to coordinator {node}:9092, generation {count}'],
  ['INFO', 2, 'topic=stock partition={partition} offset={big} batch of {count} records in {ms} ms'],
  ['INFO', 1, 'lag of orders-{partition} is {count}'],
  ['WARN', 0.6, 'lag of orders-{partition} is {big}, above threshold'],
  ['WARN', 0.4, 'record at orders-{partition}:{big} skipped: schema id {count} unknown'],
  ['INFO', 0.4, 'rebalance: assigned orders-{partition}, revoked {digit} partitions'],
  ['WARN', 0.3, 'poll interval of {big} ms exceeded half of max.poll.interval.ms'],
  ['INFO', 0.2, 'dead letter written to orders.dlq partition {digit}'],
  ['WARN', 0.2, 'duplicate order event {uuid} ignored'],
  ['ERROR', 0.08, 'record at orders-{partition}:{big} failed after 5 attempts'],
  ['WARN', 0.05, 'coordinator {node}:9092 unavailable, rediscovering'],
  ['INFO', 0.05, 'consumer group member {uuid} joined'],
  ['ERROR', 0.03, 'offset {big} out of range for orders-{partition}, resetting to earliest'],
  ['WARN', 0.02, 'fetch of {kb} KiB throttled for {ms} ms by quota'],
  ['ERROR', 0.01, 'producer fenced: epoch {digit} is stale'],
];

const nodeAgent: readonly Line[] = [
  ['INFO', 8, '{node} cpu={pct}% mem={pct}% disk={pct}% load={digit}.{digit}'],
  ['INFO', 5, 'container {hex16} started on {node}'],
  ['INFO', 4, 'container {hex16} exited with code 0 on {node}'],
  ['INFO', 4, 'image pulled in {ms} ms, {kb} MB'],
  ['DEBUG', 4, 'cgroup stats read for {count} containers in {ms} ms'],
  ['WARN', 1, 'cpu of pod on {node} throttled {pct}% of the last minute'],
  ['WARN', 0.6, 'readiness probe failed on {node}: HTTP probe failed with statuscode: 503'],
  ['INFO', 0.6, 'volume {uuid} attached to {node}'],
  ['WARN', 0.4, 'disk pressure on {node}: {pct}% used'],
  ['INFO', 0.4, 'garbage collected {digit} images, {kb} MB freed'],
  ['ERROR', 0.2, 'container {hex16} killed on {node}: out of memory, limit {kb} MB'],
  ['WARN', 0.2, 'back-off restarting failed container {hex16}'],
  ['INFO', 0.1, 'kernel: eth0: link becomes ready'],
  ['WARN', 0.1, 'kernel: TCP: request_sock_TCP: Possible SYN flooding on port {port}'],
  ['WARN', 0.05, 'clock of {node} adjusted by {digit}.{count} ms'],
  ['ERROR', 0.03, 'kernel: EXT4-fs error (device nvme1n1): inode #{big}: comm postgres'],
  ['WARN', 0.02, 'spot instance of {node} is to be reclaimed in 120 s'],
  ['ERROR', 0.02, 'kernel: nvme nvme0: I/O {count} QID {digit} timeout, reset controller'],
  ['ERROR', 0.01, 'machine check: corrected memory error on {node} bank {digit}'],
];

const cron: readonly Line[] = [
  ['INFO', 6, '(root) CMD (/usr/local/bin/rotate-baskets --older-than {count}h)'],
  ['INFO', 4, 'job rotate-baskets finished in {ms} ms, {count} baskets removed'],
  ['INFO', 3, '(shop) CMD (/usr/local/bin/refresh-currency-table)'],
  ['INFO', 3, 'job refresh-currency-table finished in {ms} ms'],
  ['INFO', 2, 'job sitemap wrote {big} urls in {ms} ms'],
  ['INFO', 2, 'job expire-vouchers removed {count} vouchers'],
  ['WARN', 0.5, 'job rotate-baskets still running, start skipped'],
  ['INFO', 0.4, 'job price-feed pushed {big} rows to {digit} partners'],
  ['WARN', 0.3, 'job price-feed: partner {digit} refused {count} rows'],
  ['INFO', 0.2, 'job backup-verify restored {kb} MB in {ms} ms'],
  ['ERROR', 0.1, 'job sitemap failed with exit status {digit}'],
  ['WARN', 0.1, 'job backup-verify: table stock differs by {digit} rows'],
  ['ERROR', 0.02, 'job refresh-currency-table failed: certificate has expired'],
  ['INFO', 0.02, '(root) RELOAD (crontabs/root)'],
];

export const postgresLines = new Repertoire(postgres);
export const redisLines = new Repertoire(redis);
export const kafkaConsumerLines = new Repertoire(kafkaConsumer);
export const nodeAgentLines = new Repertoire(nodeAgent);
export const cronLines = new Repertoire(cron);
