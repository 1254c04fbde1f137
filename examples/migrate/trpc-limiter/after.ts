import { initTRPC } from '@trpc/server';
import { createLimiter } from 'floodgate-limiter';
import { connectRedis } from 'floodgate-limiter/node-redis';
import { createTrpcLimits, policiesOf, type RateLimitContext, rateLimit } from 'floodgate-limiter/trpc';

const limiter = createLimiter({
  store: connectRedis(process.env.REDIS_URL ?? ''),
  secret: process.env.SUBJECT_SECRET ?? '',
});
await limiter.ready();

const { contextOf, errorFormatter } = createTrpcLimits({ limiter });
const t = initTRPC.context<RateLimitContext>().create({ errorFormatter });
const limit = rateLimit<RateLimitContext>({
  levels: [{ level: 'user', limit: 3, windowMs: 60_000 }],
  message: { en: 'Too many greetings.' },
});
const router = t.router({ greet: t.procedure.use(limit).query(() => 'Hello.') });
policiesOf(router);
const createCaller = t.createCallerFactory(router);

export const greet = (user: string) => createCaller(contextOf({ user })).greet();
export const close = () => limiter.close();
