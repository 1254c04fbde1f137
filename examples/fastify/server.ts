import Fastify from 'fastify';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/fastify';
import { connectRedis } from 'floodgate-limiter/ioredis';

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

const app = Fastify();
app.get('/greet', { onRequest: rateLimit({ limiter, policy: greeting }) }, async () => 'Hello.');

const address = await app.listen({ port: Number(PORT), host: '127.0.0.1' });
console.info(`${address}/greet`);
