import { createLimiter, definePolicy } from 'floodgate-limiter';
import { connectRedis } from 'floodgate-limiter/ioredis';

const limiter = createLimiter({
  store: connectRedis(process.env.REDIS_URL ?? ''),
  secret: process.env.SUBJECT_SECRET ?? '',
});
await limiter.ready();
const exportRows = definePolicy({
  name: 'export',
  maxCost: 10,
  levels: [{ level: 'user', limit: 10, windowMs: 60_000 }],
});

/** Returns true if a user may export as many rows, in tens, now. */
export async function mayExport(user: string, tens: number): Promise<boolean> {
  const { allowed } = await limiter.check(exportRows, { user, cost: tens });
  return allowed;
}

export const empty = (user: string) => limiter.clear(exportRows, { level: 'user', subject: user });
export const close = () => limiter.close();
