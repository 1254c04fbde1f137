import { createLimiter, definePolicy } from 'floodgate-limiter';
import { connectRedis } from 'floodgate-limiter/node-redis';

const {
  REDIS_URL = 'redis://127.0.0.1:6379',
  // Set your own, the same on every node.
  SUBJECT_SECRET = 'replace these 32 or more characters',
} = process.env;

// Connects with the first call, so `next build` needs no Redis. The copies of this module, one of each hot reload, share the
// connection.
export const limiter = createLimiter({ store: connectRedis(REDIS_URL), secret: SUBJECT_SECRET });

export const greeting = definePolicy({
  name: 'greet.plain',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
});

/** Of the server action. */
export const pressing = definePolicy({
  name: 'press',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
});

/** Of the page behind `proxy.ts`. */
export const visiting = definePolicy({
  name: 'visit',
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many visits. Come back when the wait is over.' },
});
