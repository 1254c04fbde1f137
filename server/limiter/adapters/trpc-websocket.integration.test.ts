import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createTRPCClient, createWSClient, TRPCClientError, wsLink } from '@trpc/client';
import { initTRPC } from '@trpc/server';
import { applyWSSHandler } from '@trpc/server/adapters/ws';
import { expect, onTestFinished, test } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { redisUrl } from '../../../test/services/worker-services';
import { waitUntil } from '../../../test/wait-until';
import { createLimiter } from '../limiter';
import { ioredisStore } from '../stores/ioredis-store';
import { createTrpcLimits, type Policy, policiesOf, type RateLimitContext, rateLimit } from './trpc';

/** The package `ws`, which Next.js contains. */
const { WebSocketServer, WebSocket } = createRequire(import.meta.url)('next/dist/compiled/ws');

const message = { en: 'Too many calls.' };
const greeting: Policy<RateLimitContext> = {
  ...{ name: 'greet', message },
  levels: [{ level: 'ip', limit: 3, windowMs: 60_000 }],
};
const streaming: Policy<RateLimitContext> = {
  ...{ name: 'watch', message },
  levels: [{ level: 'ip', concurrent: 1, leaseMs: 60_000 }],
};

/** Starts a server that limits calls over WebSocket. `connect` opens a socket for the address, and returns a client. */
async function startServer() {
  const redis = await connectTestRedis(await redisUrl());
  const limiter = createLimiter({
    store: ioredisStore(redis),
    secret: 'a secret of at least 32 characters',
    prefix: freshPrefix(),
    timeoutMs: 5_000,
  });
  const limits = createTrpcLimits({ limiter, trustedProxies: ['127.0.0.1'] });
  const t = initTRPC.context<RateLimitContext>().create({ errorFormatter: limits.errorFormatter });
  const router = t.router({
    greet: t.procedure.use(rateLimit(greeting)).query(() => 'Hello.'),
    watch: t.procedure.use(rateLimit(streaming)).subscription(async function* ({ signal }) {
      yield 1;
      await new Promise((resolve) => signal?.addEventListener('abort', resolve));
    }),
  });
  policiesOf(router);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wss = new WebSocketServer({ server });
  applyWSSHandler({
    wss,
    router,
    createContext: (options) => limits.createContext(options, { language: 'en' }),
  });
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    for (const socket of wss.clients) socket.terminate();
    wss.close();
    server.close();
    await redis.quit();
  });

  function connect(address: string) {
    class AddressedSocket extends WebSocket {
      constructor(url: string) {
        super(url, { headers: { 'x-forwarded-for': address } });
      }
    }
    const socket = createWSClient({ url: `ws://127.0.0.1:${port}`, WebSocket: AddressedSocket as never });
    onTestFinished(() => void socket.close());
    const client = createTRPCClient<typeof router>({ links: [wsLink({ client: socket })] });
    const watch = () =>
      new Promise<{ first: unknown; stop: () => void }>((resolve) => {
        const { unsubscribe } = client.watch.subscribe(undefined, {
          onData: (first) => resolve({ first, stop: unsubscribe }),
          onError: (error) => resolve({ first: error.data?.rateLimit?.policy, stop: unsubscribe }),
        });
      });
    return { client, socket, watch };
  }
  const running = async (ip: string) =>
    (await limiter.peek({ ...streaming, name: 'watch' }, { ip })).windows[0]?.used;
  return { connect, running };
}

test('each call of a socket is counted by the address of its upgrade request, and a refusal carries its data', async () => {
  const { connect } = await startServer();
  const { client } = connect('192.0.2.1');
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () =>
      client.greet.query().catch((error) => error instanceof TRPCClientError && error.data.rateLimit),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'Hello.')).toHaveLength(3);
  expect(outcomes.at(-1)).toMatchObject({ policy: 'greet', level: 'ip', reason: 'limited', limit: 3 });
  await expect(connect('192.0.2.1').client.greet.query()).rejects.toThrow('Too many calls.');
  await expect(connect('192.0.2.2').client.greet.query()).resolves.toBe('Hello.');
});

test('a subscription holds its lease until it is stopped, or until its socket has closed', async () => {
  const { connect, running } = await startServer();
  const { watch, socket } = connect('192.0.2.1');
  const one = await watch();
  expect([one.first, await running('192.0.2.1')]).toEqual([1, 1]);
  expect((await connect('192.0.2.1').watch()).first).toBe('watch');
  one.stop();
  await waitUntil(async () => (await running('192.0.2.1')) === 0);

  const again = await watch();
  expect([again.first, await running('192.0.2.1')]).toEqual([1, 1]);
  await socket.close();
  socket.connection?.ws.close();
  await waitUntil(async () => (await running('192.0.2.1')) === 0);
});
