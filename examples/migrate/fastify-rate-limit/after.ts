import { fastify } from 'fastify';
import { createLimiter, definePolicy } from 'floodgate-limiter';
import { rateLimit } from 'floodgate-limiter/fastify';
import { connectRedis } from 'floodgate-limiter/ioredis';

const limiter = createLimiter({
  store: connectRedis(process.env.REDIS_URL ?? ''),
  secret: process.env.SUBJECT_SECRET ?? '',
});
await limiter.ready();
const login = definePolicy({ name: 'login', levels: [{ level: 'ip', limit: 3, windowMs: 60_000 }] });

export const app = fastify();
app.get(
  '/login',
  { onRequest: rateLimit({ limiter, policy: login, skip: (request) => 'x-monitor' in request.headers }) },
  async () => 'Hello.',
);

export const close = () => limiter.close();
