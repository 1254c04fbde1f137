import { initTRPC } from '@trpc/server';
import { createHTTPServer } from '@trpc/server/adapters/standalone';
import { createLimiter } from 'floodgate-limiter';
import { memoryStore } from 'floodgate-limiter/stores';
import { createTrpcLimits, policiesOf, type RateLimitContext, rateLimit } from 'floodgate-limiter/trpc';

const limiter = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
const { createContext, errorFormatter, responseMeta } = createTrpcLimits({ limiter });
const t = initTRPC.context<RateLimitContext>().create({ errorFormatter });
const limits = (level: 'ip' | 'user') =>
  rateLimit<RateLimitContext>({
    levels: [{ level, limit: 3, windowMs: 60_000 }],
    message: { en: 'Come back when the wait is over.' },
  });
const router = t.router({
  greet: t.procedure.use(limits('ip')).query(() => 'Hello.'),
  // No caller has a user: an error of the configuration.
  account: t.procedure.use(limits('user')).query(() => 'Hello.'),
});
policiesOf(router);

const server = createHTTPServer({ router, createContext, responseMeta });
server.listen(0, '127.0.0.1', async () => {
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('no port');
  const statuses: number[] = [];
  for (const path of ['greet', 'greet', 'greet', 'greet', 'account'])
    statuses.push((await fetch(`http://127.0.0.1:${address.port}/${path}`)).status);
  console.info(statuses.join(' '));
  server.close();
});
