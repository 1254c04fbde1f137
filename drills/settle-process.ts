import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLimiter, resolvePolicy } from '../server/limiter/index';
import { ioredisStore } from '../server/limiter/stores';
import { connectTestRedis } from '../test/redis';
import { reportCall, runCallers } from './run-callers';
import type { SettlePlan } from './settling-nodes';

const { redisUrl, prefix, limit, windowMs, maxCost }: SettlePlan = JSON.parse(process.argv[2] ?? '');
const MAX_RUN_MS = 150;

const limiter = createLimiter({
  store: ioredisStore(await connectTestRedis(redisUrl)),
  secret: 'the secret of a drill, 32 characters',
  prefix,
});
const policy = resolvePolicy(
  {
    name: 'settling',
    levels: [{ level: 'global', limit, windowMs }],
    cost: () => maxCost,
    maxCost,
    settle: (outcome) => (outcome.ok ? Number(outcome.data) : 0),
    message: { en: 'Too many.' },
  },
  'settling',
);

async function callAndSettle(): Promise<void> {
  const id = randomUUID();
  const cost = randomInt(1, maxCost + 1);
  const decision = await limiter.decide(policy, { subjects: {}, cost });
  if (!decision.allowed || !decision.reservation) return;
  await reportCall({ id, at: decision.now, units: cost });
  await sleep(randomInt(MAX_RUN_MS));
  const kept = randomInt(cost + 1);
  await reportCall({ id, at: decision.now, units: kept });
  await limiter.settle(decision.reservation, { ok: true, data: kept });
}

await runCallers(callAndSettle);
