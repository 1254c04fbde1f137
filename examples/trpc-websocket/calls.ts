/** Starts the server, and calls it. */

import assert from 'node:assert/strict';
import { createTRPCClient, createWSClient, TRPCClientError, wsLink } from '@trpc/client';
import { WebSocket } from 'ws';
import { type AppRouter, limiter, wss } from './server.js';

const url = `ws://127.0.0.1:${process.env.PORT ?? 3000}`;
const socket = createWSClient({ url, WebSocket: WebSocket as never });
const client = createTRPCClient<AppRouter>({ links: [wsLink({ client: socket })] });

/** Resolves with the first value of a subscription, or the level that refused it. */
const open = () =>
  new Promise<{ first: unknown; stop: () => void }>((resolve) => {
    const { unsubscribe: stop } = client.tick.subscribe(undefined, {
      onData: (first) => resolve({ first, stop }),
      onError: (error) => resolve({ first: error.data?.rateLimit?.reason, stop }),
    });
  });

let admitted = 0;
let refusal: unknown;
while (!refusal) {
  try {
    await client.greet.query();
    admitted += 1;
  } catch (error) {
    if (!(error instanceof TRPCClientError)) throw error;
    refusal = error.data.rateLimit.level;
  }
}
assert.deepEqual([admitted, refusal], [100, 'ip']);

const streams = [await open(), await open(), await open()];
assert.deepEqual(
  streams.map(({ first }) => first),
  [0, 0, 'limited'],
);
streams[0]?.stop();
let reopened = await open();
while (reopened.first === 'limited') reopened = await open();
assert.equal(reopened.first, 0);

await socket.close();
for (const one of wss.clients) one.terminate();
wss.close();
await limiter.close();
console.info('100 calls and two streams of an address were admitted.');
