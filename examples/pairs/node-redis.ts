import { createLimiter, definePolicy } from 'floodgate-limiter';
import { connectRedis, nodeRedisStore } from 'floodgate-limiter/node-redis';
import { createClient } from 'redis';

const client = createClient({ url: process.env.REDIS_URL ?? '', disableOfflineQueue: true });
const stores = [nodeRedisStore(client), connectRedis(process.env.REDIS_URL ?? '')];
const secret = 'a secret of at least 32 characters';
const limiters = stores.map((store) => createLimiter({ store, secret }));
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

async function main() {
  await client.connect();
  const outcomes: boolean[] = [];
  for (const limiter of [...limiters, ...limiters]) {
    await limiter.ready();
    outcomes.push((await limiter.check(greeting, { user: 'ada' })).allowed);
  }
  console.info(outcomes.join(' '));
  for (const limiter of limiters) await limiter.close();
  await client.quit();
}
void main();
