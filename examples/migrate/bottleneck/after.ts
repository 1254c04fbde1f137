import { createLimiter, definePolicy } from 'floodgate-limiter';
import { connectRedis } from 'floodgate-limiter/ioredis';

const limiter = createLimiter({
  store: connectRedis(process.env.REDIS_URL ?? ''),
  secret: process.env.SUBJECT_SECRET ?? '',
});
/** 20 calls a second, from all processes together. */
const partner = definePolicy({
  name: 'partner',
  levels: [{ level: 'global', limit: 20, windowMs: 1_000, algorithm: 'leaky-bucket' }],
});

export const call = <Result>(fn: () => Promise<Result>) => limiter.schedule(partner, {}, fn);
export const close = () => limiter.close();
