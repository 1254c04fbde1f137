import type { AddressInfo } from 'node:net';
import express from 'express';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/express';
import { connectRedis } from 'floodgate-limiter/node-redis';

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

const app = express();
app.get('/greet', rateLimit({ limiter, policy: greeting }), (_req, res) => {
  res.send('Hello.');
});

const server = app.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.info(`http://127.0.0.1:${port}/greet`);
});
