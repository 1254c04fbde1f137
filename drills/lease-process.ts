import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter, resolvePolicy } from '../server/limiter/index';
import { ioredisStore } from '../server/limiter/stores';
import { connectTestRedis } from '../test/redis';
import type { HeldCall, LeasePlan } from './leasing-nodes';
import { reportCall, runCallers } from './run-callers';

const { redisUrl, prefix, concurrent, leaseMs }: LeasePlan = JSON.parse(process.argv[2] ?? '');
const RENEWALS_PER_CALL = 4;

const limiter = createLimiter({
  store: ioredisStore(await connectTestRedis(redisUrl)),
  secret: 'the secret of a drill, 32 characters',
  prefix,
});
const policy = resolvePolicy(
  {
    name: 'leasing',
    levels: [{ level: 'global', concurrent, leaseMs }],
    message: { en: 'Too many.' },
  },
  'leasing',
);

/** Releases its lease in any case, also long after the lease has ended. */
async function callAndRelease(): Promise<void> {
  const decision = await limiter.decide(policy, { subjects: {} });
  if (!decision.allowed || !decision.lease) return;
  const call: HeldCall = { id: randomUUID(), from: decision.now, until: decision.now + leaseMs };
  await reportCall(call);
  for (let renewals = randomInt(RENEWALS_PER_CALL); renewals > 0; renewals -= 1) {
    await sleep(leaseMs / 3);
    const renewedAt = Date.now();
    if (await limiter.renew(decision.lease)) call.until = renewedAt + leaseMs;
    await reportCall(call);
  }
  await sleep(randomInt(leaseMs / 3));
  call.until = Math.min(call.until, Date.now());
  await reportCall(call);
  await reportCall({ ...call, wasReleased: await limiter.release(decision.lease) });
}

await runCallers(callAndRelease);
