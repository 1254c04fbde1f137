import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { Redis } from 'ioredis';
import {
  createLimiter,
  type Policy,
  policiesOf,
  type RateLimitContext,
  rateLimit,
  rateLimitErrorData,
  rateLimitHeaders,
} from './limiter';

const { REDIS_URL = 'redis://127.0.0.1:6379', PORT = '3000' } = process.env;

const greeting: Policy<RateLimitContext> = {
  levels: [
    { level: 'ip', limit: 3, windowMs: 10_000 },
    { level: 'global', limit: 100, windowMs: 10_000 },
  ],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
};

const t = initTRPC.context<RateLimitContext>().create({
  // The error of a refused call states the limit and when to retry.
  errorFormatter: ({ shape, error }) => ({
    ...shape,
    data: { ...shape.data, ...rateLimitErrorData(error) },
  }),
});

const router = t.router({
  greet: t.procedure.use(rateLimit(greeting)).query(() => 'Hello.'),
});
// Throws if two policies share a name, a procedure has no limit, or .input() comes before the limit.
policiesOf(router);

// Fails immediately while Redis is down, and never sends a charge twice.
const redis = new Redis(REDIS_URL, {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
});
redis.on('error', (error) => console.error(`Redis: ${error.message}`));
await redis.connect();

const limiter = createLimiter({ redis, secret: process.env.SUBJECT_SECRET ?? 'the same on every node' });

const server = createHTTPServer({
  router,
  // Without a maximum, one HTTP request could contain any number of calls.
  maxBatchSize: 10,
  // Behind a proxy, use the address that it forwards. Count IPv6 by /64: one caller has a whole network.
  createContext: ({ req }) => ({
    rateLimit: { limiter, caller: { ip: req.socket.remoteAddress }, language: 'en', decisions: [] },
  }),
  responseMeta: ({ ctx }) => ({ headers: rateLimitHeaders(ctx?.rateLimit.decisions ?? []) }),
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : PORT;
  console.info(`http://127.0.0.1:${port}/greet`);
});
