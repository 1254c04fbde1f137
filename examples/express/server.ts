import type { AddressInfo } from 'node:net';
import express from 'express';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/express';
import { ioredisStore } from 'floodgate-limiter/stores';
import { Redis } from 'ioredis';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

// Fails immediately while Redis is down, and never sends a charge twice.
const redis = new Redis(REDIS_URL, {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // Leaves a dead connection, and a primary that became a replica, within seconds.
  connectTimeout: 2_000,
  socketTimeout: 5_000,
  reconnectOnError: (error) => error.message.includes('READONLY'),
});
redis.on('error', (error) => console.error(`Redis: ${error.message}`));
await redis.connect();

const limiter = createLimiter({ store: ioredisStore(redis), secret: SUBJECT_SECRET });

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
