import { createLimiter, definePolicy } from 'floodgate-limiter';
import { memoryStore } from 'floodgate-limiter/memory';
import { observe } from 'floodgate-limiter/metrics';
import { Registry } from 'prom-client';

const limiter = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
const register = new Registry();
observe(limiter, register);
const greeting = definePolicy({ name: 'greet', levels: [{ level: 'user', limit: 3, windowMs: 60_000 }] });

async function main() {
  for (let call = 0; call < 4; call += 1) await limiter.check(greeting, { user: 'ada' });
  const text = await register.metrics();
  console.info(
    [...text.matchAll(/^floodgate_rate_limit_(?:decisions_total.*|store_up) (\d)$/gm)]
      .map(([, n]) => n)
      .join(' '),
  );
}
void main();
