import { serve } from '@hono/node-server';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/hono';
import { connectRedis } from 'floodgate-limiter/node-redis';
import { Hono } from 'hono';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

const limiter = createLimiter({ store: connectRedis(REDIS_URL), secret: SUBJECT_SECRET });
// Names what Redis lacks. The server starts also without Redis: `onStoreError` of each policy decides.
await limiter.ready().catch((error) => console.error(error.message));

const greeting = definePolicy({
  name: 'greet',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
});

const app = new Hono();
app.get('/greet', rateLimit({ limiter, policy: greeting }), (c) => c.text('Hello.'));

serve({ fetch: app.fetch, port: Number(PORT), hostname: '127.0.0.1' }, ({ port }) => {
  console.info(`http://127.0.0.1:${port}/greet`);
});
