import type { AddressInfo } from 'node:net';
import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createLimiter } from 'floodgate-limiter';
import { connectRedis } from 'floodgate-limiter/ioredis';
import {
  createTrpcLimits,
  type Policy,
  policiesOf,
  type RateLimitContext,
  rateLimit,
} from 'floodgate-limiter/trpc';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

const limiter = createLimiter({ store: connectRedis(REDIS_URL), secret: SUBJECT_SECRET });
// Names what Redis lacks. The server starts also without Redis: `onStoreError` of each policy decides.
await limiter.ready().catch((error) => console.error(error.message));

const greeting: Policy<RateLimitContext> = {
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
};

const { createContext, errorFormatter, responseMeta } = createTrpcLimits({ limiter });
const t = initTRPC.context<RateLimitContext>().create({ errorFormatter });
const router = t.router({
  greet: t.procedure.use(rateLimit(greeting)).query(() => 'Hello.'),
});
// Throws if two policies share a name, a procedure has no limit, or .input() comes before the limit.
policiesOf(router);

// Without a maximum batch size, one HTTP request could contain any number of calls.
const server = createHTTPServer({ router, createContext, responseMeta, maxBatchSize: 10 });
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.info(`http://127.0.0.1:${port}/greet`);
});
