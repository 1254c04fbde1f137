import { afterAll, beforeAll, expect, test } from 'vitest';
import { sameSubject } from '../../test/call-subjects';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { startEmptyRedis } from '../../test/services/empty-redis';
import type { TestService } from '../../test/services/test-service';
import { createRunExperiment } from '../experiments/experiment';
import { createExperimentConnections } from '../experiments/experiment-connections';
import { createExperimentQueue } from '../experiments/experiment-queue';
import { createArrivals } from '../fleet/arrivals';
import { createLimiter, type Limiter, type ResolvedPolicy, resolvePolicy } from '../limiter/index';
import { ioredisStore } from '../limiter/stores';
import { findLevel } from '../limits/policy-registry';
import type { RedisClient } from '../redis/client';
import { heartbeatsKey } from '../redis/keys';
import { createWhatIf } from './what-if';

const policies = {
  'user, then everybody': resolvePolicy<never>(
    {
      name: 'seckill',
      levels: [
        { level: 'user', limit: 5, windowMs: 1_000 },
        { level: 'global', limit: 40, windowMs: 1_000 },
      ],
      message: { en: 'Too many.' },
    },
    'seckill',
  ),
  'with bans': resolvePolicy<never>(
    {
      name: 'claim',
      levels: [{ level: 'user', limit: 3, windowMs: 500, punishment: { warnAt: 2, banAt: 4, banMs: 2_000 } }],
      message: { en: 'Too many.' },
    },
    'claim',
  ),
};

let service: TestService;
let redis: RedisClient;
let now: number;

beforeAll(async () => {
  service = await startEmptyRedis();
  redis = await connectTestRedis(service.url);
  await redis.hset(heartbeatsKey, 'since', 0);
});
afterAll(async () => {
  redis.disconnect();
  await service.stop();
});

const CALLS = 500;
const people = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal', 'ida', 'jon', 'kim', 'leo'];

/** The same calls each time: who, and how long after the one before, in ms. */
function traffic(): { who: string; afterMs: number }[] {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  return Array.from({ length: CALLS }, () => ({
    who: people[random(people.length)] ?? '',
    afterMs: random(10),
  }));
}

async function run(limiter: Limiter, policy: ResolvedPolicy<never>) {
  const tally = { admitted: 0, refused: 0 };
  for (const { who, afterMs } of traffic()) {
    now += afterMs;
    const subjects = sameSubject(policy, who);
    const { allowed } = await limiter.decide(policy, { subjects });
    tally[allowed ? 'admitted' : 'refused'] += 1;
  }
  return tally;
}

function experiments() {
  const connections = createExperimentConnections({ urls: [service.url], onError: () => undefined });
  const queue = createExperimentQueue();
  const left: unknown[] = [];
  const runExperiment = createRunExperiment({
    connections,
    queue,
    onCleanupError: (error) => left.push(error),
  });
  const close = async () => {
    await queue.close();
    connections.close();
    expect(left).toEqual([]);
  };
  return { runExperiment, close };
}

const questions = [
  ['user, then everybody', { level: 'global', limit: 20 }],
  ['user, then everybody', { level: 'global', limit: 400 }],
  ['user, then everybody', { level: 'user', limit: 1, windowMs: 3_000 }],
  ['user, then everybody', { level: 'global', mode: 'shadow' }],
  ['user, then everybody', { level: 'global', mode: 'off' }],
  ['with bans', { level: 'user', limit: 6 }],
  ['with bans', { level: 'user', windowMs: 250 }],
] as const;

test.each(questions)(
  '%s: what if %o is answered by what then happens',
  async (kind, { level, ...numbers }) => {
    const policy = policies[kind];
    // By Redis's clock, so that what is captured is not too old to be kept.
    now = Date.now() - 60_000;
    const arrivals = createArrivals({ redis, node: freshPrefix(), storeNow: () => now });
    const options = {
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      clock: () => now,
    };
    const limiter = createLimiter({
      ...options,
      prefix: freshPrefix(),
      onDecision: (outcome) => arrivals.capture(outcome),
    });
    for (const key of await redis.keys('*arrivals*')) await redis.del(key);

    const start = now;
    const decided = await run(limiter, policy);
    await arrivals.flushArrivals();
    now += 2_000;
    const keysBefore = (await redis.keys('*')).length;
    const { runExperiment, close } = experiments();
    const whatIf = createWhatIf({ limiter, arrivals, runExperiment });
    const answer = await whatIf({ ...findLevel([policy], { policy: policy.name, level }), ...numbers });
    await close();

    expect(answer.arrivals).toBe(CALLS);
    expect(answer.recorded).toEqual(decided);
    expect(answer.before).toMatchObject(decided);
    expect((await redis.keys('*')).length, 'no key of a replay is left').toBe(keysBefore);

    now = start;
    const changed = createLimiter({ ...options, prefix: freshPrefix() });
    changed.setOverrides([{ policy: policy.name, level, ...numbers, version: 1 }]);
    const happened = await run(changed, policy);
    expect(answer.after).toMatchObject(happened);
    expect(happened).not.toEqual(decided);

    const { perSecond } = answer.after;
    expect(perSecond.reduce((sum, { admitted }) => sum + admitted, 0)).toBe(happened.admitted);
    expect(perSecond.reduce((sum, { refused }) => sum + refused, 0)).toBe(happened.refused);
  },
);

test('invalid values are refused with the message of the limiter', async () => {
  const limiter = createLimiter({ store: ioredisStore(redis), secret: 'a secret of at least 32 characters' });
  const arrivals = createArrivals({ redis, node: 'one', storeNow: Date.now });
  const { runExperiment, close } = experiments();
  const whatIf = createWhatIf({ limiter, arrivals, runExperiment });
  const result = whatIf({
    ...findLevel([policies['with bans']], { policy: 'claim', level: 'user' }),
    limit: 0,
  });
  await expect(result).rejects.toMatchObject({ code: 'BAD_REQUEST', message: /user.limit is 0\. Use/ });
  await close();
});
