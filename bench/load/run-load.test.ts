import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { encodings } from '../workload/encodings.ts';
import { makePool } from '../workload/request-pool.ts';
import { runLoad } from './run-load.ts';

const eventsPerRequest = 10;
const pool = makePool({ encoding: encodings.bulk, seed: 1, requests: 4, eventsPerRequest });

/** A server that answers the nth whole request as `answer` says. */
async function serve(answer: (response: ServerResponse, count: number) => void) {
  const bodies: number[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let size = 0;
    for await (const chunk of request) size += (chunk as Buffer).length;
    bodies.push(size);
    answer(response, bodies.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: { host: '127.0.0.1', port },
    bodies,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

it('counts what was acknowledged, whether a reply has a length or comes in chunks', async () => {
  await using server = await serve((response, count) => {
    if (count % 2 === 0) response.setHeader('content-length', 2).end('{}');
    else response.write('{"items":[', () => response.end(']}'));
  });
  const outcome = await runLoad(pool, { address: server.address, connections: 3, events: 120 });
  expect(outcome.acknowledgedEvents).toBe(120);
  expect(outcome.acknowledgedRequests).toBe(12);
  expect(outcome.latenciesMs).toHaveLength(12);
  const sizes = new Set(pool.map((request) => request.bodyBytes));
  expect(server.bodies).toHaveLength(12);
  expect(server.bodies.every((size) => sizes.has(size))).toBe(true);
});

it('sends a request again that was pushed back', async () => {
  await using server = await serve((response, count) => {
    response.statusCode = count <= 2 ? 503 : 200;
    response.end('{}');
  });
  const outcome = await runLoad(pool, { address: server.address, connections: 1, events: 10 });
  expect(outcome).toMatchObject({ acknowledgedEvents: 10, pushedBack: 2 });
});

it('fails when a request is refused or only a part of it was taken', async () => {
  for (const [status, body] of [
    [400, '{}'],
    [200, '{"took":1,"errors":true,"items":[]}'],
    [200, '{"partialSuccess":{"rejectedLogRecords":"1"}}'],
  ] as const) {
    await using server = await serve((response) => {
      response.statusCode = status;
      response.end(body);
    });
    const load = runLoad(pool, { address: server.address, connections: 1, events: 10 });
    await expect(load).rejects.toThrow(`answered ${status}`);
  }
});
