import express from 'express';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/express';
import { connectRedis } from 'floodgate-limiter/node-redis';

const limiter = createLimiter({
  store: connectRedis(process.env.REDIS_URL ?? ''),
  secret: process.env.SUBJECT_SECRET ?? '',
});
await limiter.ready();
const login = definePolicy({ name: 'login', levels: [{ level: 'ip', limit: 3, windowMs: 60_000 }] });

export const app = express();
app.use('/login', rateLimit({ limiter, policy: login, skip: (req) => req.get('x-monitor') !== undefined }));
app.get('/login', (_req, res) => res.send('Hello.'));

export const close = () => limiter.close();
