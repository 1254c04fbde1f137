import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../test/redis';
import { startRedis } from '../../test/services/redis';
import type { TestService } from '../../test/services/test-service';
import type { RedisClient } from '../redis/client';
import { createLimiter, type Limiter } from './limiter';
import type { DecisionOutcome } from './outcome';
import { type OnStoreError, resolvePolicy } from './policy';
import { StoreUnavailableError } from './store-error';

let store: TestService;
let redis: RedisClient;
let limiter: Limiter;
let outcomes: DecisionOutcome[];

beforeEach(async () => {
  store = await startRedis();
  redis = await connectTestRedis(store.url);
  outcomes = [];
  limiter = createLimiter({
    redis,
    secret: 'test',
    prefix: freshPrefix(),
    onDecision: (outcome) => outcomes.push(outcome),
  });
  // The first decision loads the script, and shows that the store works.
  expect((await decide('closed')).allowed).toBe(true);
});
afterEach(async () => {
  redis.disconnect();
  await store.stop();
});

function decide(onStoreError: OnStoreError) {
  const policy = resolvePolicy(
    {
      name: `test-${onStoreError}`,
      levels: [{ level: 'global', limit: 2, windowMs: 60_000 }],
      message: { en: 'Too many.' },
      onStoreError,
    },
    'test',
  );
  return limiter.decide(policy, { subjects: [''] });
}

const outages = [
  { outage: 'dead', begin: () => store.kill() },
  { outage: 'frozen', begin: () => void process.kill(store.pid, 'SIGSTOP') },
];

describe.each(outages)('while the store is $outage', ({ begin }) => {
  test('a closed policy throws unavailable within 300 ms, which is not a denial', async () => {
    await begin();
    const started = performance.now();
    await expect(decide('closed')).rejects.toBeInstanceOf(StoreUnavailableError);
    expect(performance.now() - started).toBeLessThan(300);
    expect(outcomes.at(-1)).toMatchObject({ decision: undefined, cause: expect.any(StoreUnavailableError) });
  });

  test('an open policy admits within 300 ms and marks the decision as degraded', async () => {
    await begin();
    const started = performance.now();
    expect(await decide('open')).toMatchObject({ allowed: true, degraded: true, levels: [] });
    expect(performance.now() - started).toBeLessThan(300);
  });

  test('a local policy admits up to its limit on this node and then refuses', async () => {
    await begin();
    const decisions = await Promise.all([decide('local'), decide('local'), decide('local')]);
    expect(decisions.map(({ allowed, degraded }) => [allowed, degraded])).toEqual([
      [true, true],
      [true, true],
      [false, true],
    ]);
  });
});

test('a frozen store that resumes decides again, without a restart of the node', async () => {
  process.kill(store.pid, 'SIGSTOP');
  await expect(decide('closed')).rejects.toBeInstanceOf(StoreUnavailableError);
  process.kill(store.pid, 'SIGCONT');
  await vi.waitUntil(async () => {
    const decision = await decide('open');
    return !decision.degraded;
  });
});

test('a store that was killed and started again decides again, without a restart of the node', async () => {
  const { port } = store;
  await store.kill();
  await expect(decide('closed')).rejects.toBeInstanceOf(StoreUnavailableError);
  store = await startRedis({ port });
  await vi.waitUntil(async () => !(await decide('open')).degraded, { timeout: 5_000 });
});
