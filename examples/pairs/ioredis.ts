import { createLimiter, definePolicy } from 'floodgate-limiter';
import { connectRedis, ioredisStore } from 'floodgate-limiter/ioredis';
import { Redis } from 'ioredis';

// A variable, because the oldest versions have no type of `socketTimeout`.
const options = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 2_000,
  socketTimeout: 5_000,
  reconnectOnError: (error: Error) => error.message.includes('READONLY'),
};
const redis = new Redis(process.env.REDIS_URL ?? '', options);
const stores = [ioredisStore(redis), connectRedis(process.env.REDIS_URL ?? '')];
const secret = 'a secret of at least 32 characters';
const limiters = stores.map((store) => createLimiter({ store, secret }));
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

async function main() {
  await redis.connect();
  const outcomes: boolean[] = [];
  for (const limiter of [...limiters, ...limiters]) {
    await limiter.ready();
    outcomes.push((await limiter.check(greeting, { user: 'ada' })).allowed);
  }
  console.info(outcomes.join(' '));
  for (const limiter of limiters) await limiter.close();
  redis.disconnect();
}
void main();
