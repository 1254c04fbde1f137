import { createLimiter, definePolicy } from 'floodgate-limiter';
import { ioredisStore } from 'floodgate-limiter/stores';
import { Redis } from 'iovalkey';

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
const limiter = createLimiter({ store: ioredisStore(redis), secret: 'a secret of at least 32 characters' });
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

async function main() {
  await redis.connect();
  await limiter.ready();
  const outcomes: boolean[] = [];
  for (let call = 0; call < 4; call += 1)
    outcomes.push((await limiter.check(greeting, { user: 'ada' })).allowed);
  console.info(outcomes.join(' '));
  redis.disconnect();
}
void main();
