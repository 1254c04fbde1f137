import { createLimiter, definePolicy } from 'floodgate-limiter';
import { nodeRedisStore } from 'floodgate-limiter/stores';
import { createClient } from 'redis';

const client = createClient({ url: process.env.REDIS_URL ?? '', disableOfflineQueue: true });
const limiter = createLimiter({
  store: nodeRedisStore(client),
  secret: 'a secret of at least 32 characters',
});
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

async function main() {
  await client.connect();
  await limiter.ready();
  const outcomes: boolean[] = [];
  for (let call = 0; call < 4; call += 1)
    outcomes.push((await limiter.check(greeting, { user: 'ada' })).allowed);
  console.info(outcomes.join(' '));
  await client.quit();
}
void main();
