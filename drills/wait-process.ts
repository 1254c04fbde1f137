import { createLimiter, definePolicy } from '../server/limiter/index';
import { ioredisStore, type Store } from '../server/limiter/stores';
import { connectTestRedis } from '../test/redis';
import { reportCall } from './run-callers';
import type { WaitPlan } from './waiting-nodes';

const { redisUrl, prefix, waiters, level }: WaitPlan = JSON.parse(process.argv[2] ?? '');

const redis = ioredisStore(await connectTestRedis(redisUrl));
let checks = 0;
const store: Store = {
  ...redis,
  decide(batch) {
    checks += batch.length;
    return redis.decide(batch);
  },
};
const limiter = createLimiter({ store, prefix, secret: 'the secret of a drill, 32 characters' });
const policy = definePolicy({ name: 'waiting', levels: [{ level: 'global', ...level }] });

/** Waits for one call after the other. Reports the instant of each start, and the checks since the last report. */
async function waitForever(): Promise<never> {
  for (;;) {
    const { now, delayMs } = await limiter.wait(policy, {});
    const report = { startedAt: now + delayMs, checks };
    checks = 0;
    await reportCall(report);
  }
}

process.once('disconnect', () => process.exit());
await Promise.all(Array.from({ length: waiters }, waitForever));
