import { initTRPC } from '@trpc/server';
import { createTrpcRedisLimiter } from '@trpc-limiter/redis';
import { createClient } from 'redis';

const redis = createClient({ url: process.env.REDIS_URL ?? '', disableOfflineQueue: true });
await redis.connect();

const t = initTRPC.context<{ userId: string }>().create();
const limit = createTrpcRedisLimiter<typeof t>({
  redisClient: redis,
  fingerprint: ({ userId }) => userId,
  max: 3,
  windowMs: 60_000,
  message: 'Too many greetings.',
});
const router = t.router({ greet: t.procedure.use(limit).query(() => 'Hello.') });
const createCaller = t.createCallerFactory(router);

export const greet = (userId: string) => createCaller({ userId }).greet();
export const close = () => redis.quit();
