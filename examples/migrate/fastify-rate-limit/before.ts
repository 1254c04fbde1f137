import rateLimit from '@fastify/rate-limit';
import { fastify } from 'fastify';
import { Redis } from 'ioredis';

const redis = new Redis(process.env.REDIS_URL ?? '', { connectTimeout: 500, maxRetriesPerRequest: 1 });

export const app = fastify();
await app.register(rateLimit, { global: false, redis });
app.get(
  '/login',
  {
    config: {
      rateLimit: { max: 3, timeWindow: 60_000, allowList: (request) => 'x-monitor' in request.headers },
    },
  },
  async () => 'Hello.',
);

export const close = async () => redis.disconnect();
