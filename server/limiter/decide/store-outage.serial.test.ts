import { setImmediate as nextTick } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectTestRedis, freshPrefix } from '../../../test/redis';
import { startRedis } from '../../../test/services/redis';
import type { TestService } from '../../../test/services/test-service';
import type { RedisClient } from '../../redis/client';
import { createLimiter, type Limiter } from '../limiter';
import type { OnStoreError } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { ioredisStore } from '../stores/ioredis-store';
import { StoreUnavailableError } from '../stores/store-error';
import type { Decision, DecisionOutcome } from './decision';

describe('an outage of the store', () => {
  let store: TestService;
  let redis: RedisClient;
  let limiter: Limiter;
  let outcomes: DecisionOutcome[];

  beforeEach(async () => {
    store = await startRedis();
    redis = await connectTestRedis(store.url);
    outcomes = [];
    limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
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
    return limiter.decide(policy, { subjects: {} });
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
      expect(outcomes.at(-1)).toMatchObject({
        decision: undefined,
        source: 'store',
        error: expect.any(StoreUnavailableError),
      });
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
});

describe('an outage under load', () => {
  const CALLERS = 24;
  const modes: readonly OnStoreError[] = ['closed', 'open', 'local'];
  const policies = modes.map((onStoreError) =>
    resolvePolicy(
      {
        name: `load-${onStoreError}`,
        levels: [{ level: 'user', limit: 5, windowMs: 60_000 }],
        message: { en: 'Too many.' },
        onStoreError,
      },
      'load',
    ),
  );

  type Answer = Decision | StoreUnavailableError;
  interface Answered {
    mode: OnStoreError;
    /** The origin of the answer. The answers themselves would dominate the measured memory. */
    by: OnStoreError | 'the store';
    durationMs: number;
  }

  /** A limiter on its own Redis, and callers who call until they are stopped, each time as a new subject. */
  async function underLoad() {
    const service: { current: TestService } = { current: await startRedis() };
    const redis = await connectTestRedis(service.current.url);
    onTestFinished(async () => {
      redis.disconnect();
      await service.current.stop();
    });
    const limiter = createLimiter({
      store: ioredisStore(redis),
      secret: 'a secret of at least 32 characters',
      prefix: freshPrefix(),
      timeoutMs: 200,
    });
    let calls = 0;
    let stopped = false;
    let answered: Answered[] = [];

    async function callOnce(): Promise<void> {
      const policy = policies[calls++ % policies.length] as (typeof policies)[number];
      const started = performance.now();
      const answer = await limiter
        .decide(policy, { subjects: { user: `caller ${calls}` } })
        .catch((error: unknown) => {
          if (error instanceof StoreUnavailableError) return error;
          throw error;
        });
      answered.push({
        mode: policy.onStoreError,
        by: modeOf(answer),
        durationMs: performance.now() - started,
      });
    }
    const callers = Array.from({ length: CALLERS }, async () => {
      while (!stopped) {
        await callOnce();
        await nextTick();
      }
    });

    return {
      service,
      limiter,
      /** Waits for this number of further replies and returns them. */
      async answers(count: number): Promise<Answered[]> {
        answered = [];
        await vi.waitUntil(() => answered.length >= count, { timeout: 20_000, interval: 5 });
        return answered;
      },
      async stop() {
        stopped = true;
        await Promise.all(callers);
      },
    };
  }

  const outages = [
    {
      outage: 'killed',
      begin: (service: { current: TestService }) => service.current.kill(),
      end: async (service: { current: TestService }) => {
        service.current = await startRedis({ port: service.current.port });
      },
    },
    {
      outage: 'frozen',
      begin: (service: { current: TestService }) => void process.kill(service.current.pid, 'SIGSTOP'),
      end: (service: { current: TestService }) => void process.kill(service.current.pid, 'SIGCONT'),
    },
  ];

  test.each(outages)(
    'Redis $outage under load: all answer within 300 ms in their mode, memory stays flat, and it mends by itself',
    async ({ begin, end }) => {
      const load = await underLoad();
      expect((await load.answers(2_000)).every(({ by }) => by === 'the store')).toBe(true);

      await begin(load.service);
      const first = await load.answers(2_000);
      const heapBefore = heapAfterCollection();
      const later = await load.answers(20_000);
      expect(Math.max(...[...first, ...later].map(({ durationMs }) => durationMs))).toBeLessThan(300);
      for (const { mode, by } of later) expect(by).toBe(mode);
      expect(heapAfterCollection() - heapBefore).toBeLessThan(16 * 1024 * 1024);
      // Most calls of an outage wait for nothing.
      const waited = later.filter(({ durationMs }) => durationMs > 50);
      expect(waited.length).toBeLessThan(later.length / 100);

      await end(load.service);
      await vi.waitUntil(async () => (await load.answers(100)).every(({ by }) => by === 'the store'), {
        timeout: 10_000,
      });
      expect(load.limiter.breakerState()).toBe('closed');
      await load.stop();
    },
  );

  /** The store, or the mode in which the call was answered without it. */
  function modeOf(answer: Answer): OnStoreError | 'the store' {
    if (answer instanceof StoreUnavailableError) return 'closed';
    if (!answer.degraded) return 'the store';
    return answer.levels.length === 0 ? 'open' : 'local';
  }

  function heapAfterCollection(): number {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect === 'function') collect();
    return process.memoryUsage().heapUsed;
  }
});
