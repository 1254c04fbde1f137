import { once } from 'node:events';
import { initTRPC } from '@trpc/server';
import { applyWSSHandler } from '@trpc/server/adapters/ws';
import { createLimiter } from 'floodgate-limiter';
import { connectRedis } from 'floodgate-limiter/ioredis';
import {
  createTrpcLimits,
  type Policy,
  policiesOf,
  type RateLimitContext,
  rateLimit,
} from 'floodgate-limiter/trpc';
import { WebSocketServer } from 'ws';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

export const limiter = createLimiter({ store: connectRedis(REDIS_URL), secret: SUBJECT_SECRET });
await limiter.ready().catch((error) => console.error(error.message));

const greeting: Policy<RateLimitContext> = {
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
};
const ticking: Policy<RateLimitContext> = {
  levels: [{ level: 'ip', concurrent: 2, leaseMs: 30_000 }],
  message: { en: 'Two streams at a time. Close one first.' },
};

const { createContext, errorFormatter } = createTrpcLimits({ limiter });
const t = initTRPC.context<RateLimitContext>().create({ errorFormatter });
const router = t.router({
  greet: t.procedure.use(rateLimit(greeting)).query(() => 'Hello.'),
  // Holds its lease until the subscription is stopped or its socket has closed.
  tick: t.procedure.use(rateLimit(ticking)).subscription(async function* ({ signal }) {
    for (let count = 0; !signal?.aborted; count += 1) {
      yield count;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }),
});
policiesOf(router);
export type AppRouter = typeof router;

export const wss = new WebSocketServer({ host: '127.0.0.1', port: Number(PORT) });
// The address is that of the upgrade request.
export const handler = applyWSSHandler({ wss, router, createContext });
await once(wss, 'listening');
console.info(`ws://127.0.0.1:${PORT}`);
