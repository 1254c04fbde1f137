import { afterEach, beforeEach, describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { isFloodgateError } from '../floodgate-error';
import { createLimiter } from '../limiter';
import type { LimiterOptions } from '../limiter-options';
import { byPlan } from '../policy/by-plan';
import { definePolicy, type NamedLevel, type NamedPolicy } from '../policy/named-policy';
import { ALGORITHMS, type Algorithm } from '../policy/policy';
import { memoryStore } from '../stores/memory-store';
import type { Store } from '../stores/store';
import { WaitTooLongError } from './wait-options';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A limiter on a store in memory that counts its checks, and that can be slow or fail. */
function start(options: Partial<LimiterOptions> = {}) {
  const memory = memoryStore();
  const state = { checks: 0, isDown: false, roundTripMs: 0 };
  const store: Store = {
    ...memory,
    async decide(batch) {
      if (state.isDown) throw new Error('no connection');
      if (state.roundTripMs > 0) await new Promise((resolve) => setTimeout(resolve, state.roundTripMs));
      state.checks += batch.filter(({ command }) => command.policyArgs.kind === 'decide').length;
      return memory.decide(batch);
    },
  };
  const limiter = createLimiter({ store, secret: 'a secret of at least 32 characters', ...options });
  return { limiter, state };
}

const policyOf = (...levels: NamedLevel[]): NamedPolicy & { name: string } =>
  definePolicy({ name: 'api', levels: levels as [NamedLevel, ...NamedLevel[]] });
const perSecond = (limit: number, algorithm: Algorithm = 'sliding-log') =>
  policyOf({ level: 'user', limit, windowMs: 1_000, algorithm });

/** Collects the outcomes of promises, each with the time since the start in ms. */
function collect() {
  const from = Date.now();
  const outcomes: [name: string | number, outcome: unknown, ms: number][] = [];
  const add = (name: string | number, outcome: unknown) => outcomes.push([name, outcome, Date.now() - from]);
  return {
    outcomes,
    watch: (name: string | number, wait: Promise<unknown>) =>
      void wait.then(
        () => add(name, 'started'),
        (error: unknown) => add(name, error),
      ),
    names: () => outcomes.map(([name]) => name),
    times: () => outcomes.map(([, , ms]) => ms),
  };
}

/** A wait ends at most this late: a lag of 15 % of the window, and a timer. */
const LATE_MS = 160;
const expectTimes = (times: readonly number[], expected: readonly number[]) => {
  expect(times).toHaveLength(expected.length);
  for (const [index, ms] of times.entries()) {
    expect(ms).toBeGreaterThanOrEqual((expected[index] ?? 0) - 1);
    expect(ms).toBeLessThanOrEqual((expected[index] ?? 0) + LATE_MS * (1 + index / 3));
  }
};

describe('order', () => {
  test.each<[Algorithm, number[]]>([
    ['sliding-log', [0, 0, 0, 1_000, 1_000, 1_000, 2_000]],
    ['sliding-counter', [0, 0, 0, 1_000, 1_000, 1_000, 2_000]],
    ['fixed-window', [0, 0, 0, 1_000, 1_000, 1_000, 2_000]],
    ['token-bucket', [0, 0, 0, 334, 667, 1_000, 1_334]],
    ['leaky-bucket', [0, 334, 667, 1_000, 1_334, 1_667, 2_000]],
  ])('calls on a %s start in their order, as soon as it admits them', async (algorithm, expected) => {
    vi.setSystemTime(Date.UTC(2026, 0, 1));
    const { limiter, state } = start();
    const { watch, names, times } = collect();
    for (let call = 0; call < 7; call += 1)
      watch(call, limiter.wait(perSecond(3, algorithm), { user: 'ada' }));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(names()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expectTimes(times(), expected);
    expect(state.checks).toBeLessThanOrEqual(9);
  });

  test('one waiter of a subject calls the store, the others wait in memory', async () => {
    const { limiter, state } = start();
    const { watch, names } = collect();
    for (let call = 0; call < 300; call += 1) watch(call, limiter.wait(perSecond(10), { user: 'ada' }));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(names()).toEqual(Array.from({ length: 300 }, (_, call) => call));
    expect(state.checks).toBeLessThanOrEqual(330);
  });

  test.each([
    ['a plain', undefined],
    ['a leased', { forMs: 500 }],
  ])('subjects of %s level wait for themselves alone', async (_kind, lease) => {
    const { limiter } = start();
    const { watch, names } = collect();
    const counter = { algorithm: 'sliding-counter', subWindows: 50 } as const;
    const policy = policyOf({ level: 'user', limit: 1, windowMs: 1_000, ...counter, lease });
    for (const user of ['ada', 'ada', 'bob']) watch(user, limiter.wait(policy, { user }));
    await vi.advanceTimersByTimeAsync(500);
    expect(names()).toEqual(['ada', 'bob']);
  });

  test('a dear call is not overtaken by cheaper ones', async () => {
    const { limiter } = start();
    const policy = definePolicy({
      name: 'tokens',
      levels: [{ level: 'global', limit: 10, windowMs: 1_000 }],
      cost: ({ input }) => Number(input),
      maxCost: 10,
    });
    const { watch, names, times } = collect();
    for (const cost of [6, 10, 1, 3]) watch(cost, limiter.wait(policy, { input: cost }));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(names()).toEqual([6, 10, 1, 3]);
    expectTimes(times(), [0, 1_000, 2_000, 2_000]);
  });

  test('a call waits until all its levels admit it', async () => {
    const { limiter } = start();
    const policy = policyOf(
      { level: 'user', limit: 2, windowMs: 1_000 },
      { level: 'global', limit: 3, windowMs: 4_000 },
    );
    const { watch, times } = collect();
    for (let call = 0; call < 5; call += 1) watch(call, limiter.wait(policy, { user: 'ada' }));
    await vi.advanceTimersByTimeAsync(6_000);
    expectTimes(times(), [0, 0, 1_000, 4_000, 4_000]);
  });

  test('a repeated request id starts at its turn, and charges nothing', async () => {
    const { limiter } = start();
    const policy = policyOf(
      { level: 'user', limit: 2, windowMs: 1_000 },
      { level: 'global', limit: 9, windowMs: 1_000 },
    );
    const calls = ['a', 'a', 'b'].map((requestId) => limiter.wait(policy, { user: 'ada', requestId }));
    const decisions = await Promise.all(calls);
    expect(decisions.map(({ replayed }) => replayed)).toEqual([false, true, false]);
  });
});

describe('WaitTooLongError', () => {
  const outcomeOf = async (wait: Promise<unknown>) => {
    const error: unknown = await wait.catch((reason: unknown) => reason);
    if (!isFloodgateError(error, 'WAIT_TOO_LONG')) throw error;
    return (error as WaitTooLongError).retryAfterMs;
  };

  test('is thrown at once if the window is full for longer than `maxWaitMs`, and nothing is charged', async () => {
    const { limiter, state } = start();
    const policy = perSecond(1);
    await limiter.wait(policy, { user: 'ada' });
    await vi.advanceTimersByTimeAsync(0);
    expect(await outcomeOf(limiter.wait(policy, { user: 'ada' }, { maxWaitMs: 999 }))).toBe(1_000);
    const { checks } = state;
    const inTime = limiter.wait(policy, { user: 'ada' }, { maxWaitMs: 1_000 });
    await vi.advanceTimersByTimeAsync(1_000 + LATE_MS);
    expect(await inTime).toMatchObject({ allowed: true });
    expect(state.checks - checks).toBe(1);
  });

  test.each<[Algorithm, number]>([
    ['sliding-log', 2_000],
    ['sliding-counter', 2_000],
    ['fixed-window', 1_000],
    ['token-bucket', 1_300],
    ['leaky-bucket', 2_200],
  ])(
    'is thrown at once if the calls that wait before it on a %s take longer',
    async (algorithm, retryAfterMs) => {
      const { limiter } = start();
      const policy = perSecond(10, algorithm);
      const waiting = new AbortController();
      const call = (maxWaitMs?: number) =>
        limiter.wait(policy, { user: 'ada' }, { maxWaitMs, signal: waiting.signal });
      const others = Array.from({ length: 22 }, () => call().catch(() => 'left'));
      // The 23rd call.
      expect(await outcomeOf(call(retryAfterMs - 1))).toBe(retryAfterMs);
      waiting.abort();
      await Promise.all(others);
    },
  );

  test('ends the wait of all calls that a refusal makes certain to be late, and of others when their time is over', async () => {
    const { limiter } = start();
    const policy = perSecond(1);
    const { watch, outcomes } = collect();
    const maxima = [undefined, 500, 1_500, undefined];
    for (const [index, maxWaitMs] of maxima.entries())
      watch(index, limiter.wait(policy, { user: 'ada' }, { maxWaitMs }));
    watch('late', limiter.wait(policy, { user: 'bob' }));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(outcomes.map(([name]) => name)).toEqual([1, 0, 'late', 2, 3]);
    expect(outcomes[0]?.[1]).toBeInstanceOf(WaitTooLongError);
    expect(outcomes[0]?.[2]).toBe(0);
  });

  test('is thrown without a charge if a leaky bucket would start the call too late', async () => {
    const { limiter } = start();
    const policy = perSecond(10, 'leaky-bucket');
    for (let call = 0; call < 5; call += 1) await limiter.check(policy, { user: 'ada' });
    expect(await outcomeOf(limiter.wait(policy, { user: 'ada' }, { maxWaitMs: 499 }))).toBe(500);
    expect((await limiter.peek(policy, { user: 'ada' })).windows[0]?.used).toBe(5);
    const inTime = limiter.wait(policy, { user: 'ada' }, { maxWaitMs: 500 });
    await vi.advanceTimersByTimeAsync(500);
    expect(await inTime).toMatchObject({ delayMs: 500 });
  });

  test.each([
    ['sliding-log', 5, 1_000],
    ['sliding-counter', 5, 1_000],
    ['fixed-window', 5, 1_000],
    ['token-bucket', 5, 200],
    ['leaky-bucket', 1, 200],
    ['in-flight', 5, 60_000],
  ] as const)(
    'is not thrown for the calls that a %s admits at once, however slow the store is',
    async (algorithm, count, retryAfterMs) => {
      vi.setSystemTime(Date.UTC(2026, 0, 1));
      const { limiter, state } = start();
      const inFlight = policyOf({ level: 'user', concurrent: 5, leaseMs: 60_000 });
      const policy = algorithm === 'in-flight' ? inFlight : perSecond(5, algorithm);
      state.roundTripMs = 20;
      const wait = () => limiter.wait(policy, { user: 'ada' }, { maxWaitMs: 0 });
      const calls = Promise.allSettled(Array.from({ length: 12 }, wait));
      // A peek or the first check, the others in one round, and a refusal.
      await vi.advanceTimersByTimeAsync(61);
      const late = (await calls).flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
      expect(late).toHaveLength(12 - count);
      // Less by the time of the round trips.
      expect(Math.abs(late[0].retryAfterMs - retryAfterMs)).toBeLessThan(61);
      expect(state.checks).toBeLessThanOrEqual(count + 1);
    },
  );

  test.each(['token-bucket', 'leaky-bucket', 'sliding-log'] as const)(
    'is thrown at once for calls that are late behind others on a partly full %s',
    async (algorithm) => {
      const { limiter } = start();
      const policy = perSecond(5, algorithm);
      for (let call = 0; call < 3; call += 1) await limiter.check(policy, { user: 'ada' });
      const { watch, outcomes } = collect();
      for (let call = 0; call < 8; call += 1)
        watch(call, limiter.wait(policy, { user: 'ada' }, { maxWaitMs: 900 }));
      await vi.advanceTimersByTimeAsync(900);
      const late = outcomes.filter(([, outcome]) => outcome !== 'started');
      expect(late.length).toBeGreaterThan(0);
      for (const [, outcome, ms] of late) {
        expect(ms).toBeLessThanOrEqual(1);
        expect(String(outcome)).toMatch(
          /has waited \d ms, and maxWaitMs is 900|take at least .* and maxWaitMs is 900/,
        );
      }
      const inTime = outcomes.length - late.length;
      expect(inTime).toBe({ 'token-bucket': 6, 'leaky-bucket': 2, 'sliding-log': 2 }[algorithm]);
    },
  );

  test('has no time if a level is blocked, or its subject denied', async () => {
    const { limiter } = start();
    const policy = perSecond(10);
    limiter.setOverrides([{ policy: 'api', level: 'user', mode: 'block', version: 1 }]);
    expect(await outcomeOf(limiter.wait(policy, { user: 'ada' }))).toBe(null);
  });
});

describe('abort', () => {
  test('an aborted call leaves its queue with the reason, and charges nothing', async () => {
    const { limiter } = start();
    const policy = perSecond(1);
    const leaving = new AbortController();
    const { watch, outcomes } = collect();
    await limiter.check(policy, { user: 'ada' });
    watch('aborted', limiter.wait(policy, { user: 'ada' }, { signal: leaving.signal }));
    watch('next', limiter.wait(policy, { user: 'ada' }));
    await vi.advanceTimersByTimeAsync(300);
    const reason = new Error('the caller has gone');
    leaving.abort(reason);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(outcomes.map(([name, outcome]) => [name, outcome])).toEqual([
      ['aborted', reason],
      ['next', 'started'],
    ]);
    await expect(limiter.wait(policy, { user: 'ada' }, { signal: leaving.signal })).rejects.toBe(reason);
  });

  test('a charge in flight goes to the next call; without one, its lease ends and its units return', async () => {
    const { limiter } = start();
    const policy = definePolicy({
      name: 'jobs',
      levels: [
        { level: 'user', limit: 5, windowMs: 60_000 },
        { level: 'global', concurrent: 5, leaseMs: 60_000 },
      ],
      settle: 'failures',
    });
    const wait = (signal?: AbortSignal) => limiter.wait(policy, { user: 'ada' }, { signal });
    const usedUnits = async () =>
      (await limiter.peek(policy, { user: 'ada' })).windows.map(({ used }) => used);
    const first = new AbortController();
    const aborted = wait(first.signal);
    const next = wait();
    first.abort();
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' });
    expect(await next).toMatchObject({ allowed: true });
    await vi.advanceTimersByTimeAsync(1);
    expect(await usedUnits()).toEqual([1, 1]);

    const alone = new AbortController();
    const left = wait(alone.signal);
    alone.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    await vi.advanceTimersByTimeAsync(1);
    expect(await usedUnits()).toEqual([1, 1]);
  });
});

describe('room before its time', () => {
  const inFlight = policyOf({ level: 'user', concurrent: 1, leaseMs: 60_000 });

  test('a level in flight is checked again every 250 ms, and at once when a call of this process ends', async () => {
    const { limiter, state } = start();
    const { lease } = await limiter.wait(inFlight, { user: 'ada' });
    const waiting = limiter.wait(inFlight, { user: 'ada' }, { maxWaitMs: 30_000 });
    const { checks } = state;
    await vi.advanceTimersByTimeAsync(2_600);
    expect(state.checks - checks).toBe(11);
    if (lease) await limiter.release(lease);
    expect(await waiting).toMatchObject({ allowed: true });
  });

  test('a call that a leaky bucket starts later holds its lease until then', async () => {
    const { limiter } = start();
    const policy = policyOf(
      { level: 'user', limit: 2, windowMs: 20_000, algorithm: 'leaky-bucket' },
      { level: 'global', concurrent: 5, leaseMs: 3_000 },
    );
    await limiter.wait(policy, { user: 'ada' });
    const later = limiter.wait(policy, { user: 'ada' });
    await vi.advanceTimersByTimeAsync(10_000);
    const { lease } = await later;
    expect(lease && (await limiter.renew(lease))).toBe(true);
  });

  test('a wait for a level in flight ends with `maxWaitMs`', async () => {
    const { limiter } = start();
    await limiter.wait(inFlight, { user: 'ada' });
    const { watch, outcomes } = collect();
    watch('late', limiter.wait(inFlight, { user: 'ada' }, { maxWaitMs: 600 }));
    await vi.advanceTimersByTimeAsync(700);
    expect(outcomes).toEqual([['late', expect.any(WaitTooLongError), 600]]);
  });

  test('a call starts at once when another one settles', async () => {
    const { limiter } = start();
    const policy = definePolicy({
      name: 'jobs',
      levels: [{ level: 'user', limit: 1, windowMs: 60_000 }],
      settle: 'failures',
    });
    const { reservation } = await limiter.wait(policy, { user: 'ada' });
    const waiting = limiter.wait(policy, { user: 'ada' }, { maxWaitMs: 5_000 });
    await vi.advanceTimersByTimeAsync(100);
    if (reservation) await limiter.settle(reservation, 0);
    expect(await waiting).toMatchObject({ allowed: true });
  });

  test('a higher limit and a cleared window start calls at once', async () => {
    const { limiter } = start();
    const policy = policyOf({ level: 'user', limit: 1, windowMs: 3_600_000 });
    const wait = () => limiter.wait(policy, { user: 'ada' });
    await wait();
    const second = wait();
    const third = wait();
    await vi.advanceTimersByTimeAsync(100);
    limiter.setOverrides([{ policy: 'api', level: 'user', limit: 2, version: 1 }]);
    expect(await second).toMatchObject({ allowed: true });
    await limiter.clear(policy, { level: 'user', subject: 'ada' });
    expect(await third).toMatchObject({ allowed: true });
  });

  test('a window that another node has cleared starts calls within 10 s', async () => {
    const store = memoryStore();
    const [one, other] = [start({ store }), start({ store })];
    const policy = policyOf({ level: 'user', limit: 1, windowMs: 3_600_000 });
    await one.limiter.wait(policy, { user: 'ada' });
    const waiting = one.limiter.wait(policy, { user: 'ada' });
    await vi.advanceTimersByTimeAsync(100);
    await other.limiter.clear(policy, { level: 'user', subject: 'ada' });
    await vi.advanceTimersByTimeAsync(20_100);
    expect(await waiting).toMatchObject({ allowed: true });
  });
});

test('by plan, a call waits for the numbers of its plan', async () => {
  const { limiter } = start();
  const plan = ({ context }: { context: Readonly<Record<string, unknown>> }) =>
    context.plan === 'pro' ? 'pro' : 'free';
  const policy = definePolicy({
    name: 'api',
    levels: [
      { level: 'user', limit: byPlan({ free: 1, pro: 5 }, plan), windowMs: 1_000 },
      { level: 'plan', limit: 1_000, windowMs: 1_000 },
    ],
  });
  const { watch, times } = collect();
  for (let call = 0; call < 6; call += 1) watch(call, limiter.wait(policy, { user: 'ada', plan: 'pro' }));
  await vi.advanceTimersByTimeAsync(2_000);
  expectTimes(times(), [0, 0, 0, 0, 0, 1_000]);
});

test.each([
  ['closed', 'STORE_UNAVAILABLE'],
  ['open', undefined],
  ['local', undefined],
] as const)('while the store is down, a policy that is %s decides', async (onStoreError, code) => {
  const { limiter, state } = start();
  const policy = definePolicy({
    name: 'api',
    levels: [{ level: 'user', limit: 2, windowMs: 1_000 }],
    onStoreError,
  });
  state.isDown = true;
  const { watch, outcomes } = collect();
  for (let call = 0; call < 3; call += 1) watch(call, limiter.wait(policy, { user: 'ada' }));
  await vi.advanceTimersByTimeAsync(1_500);
  expect(outcomes).toHaveLength(3);
  for (const [, outcome] of outcomes)
    expect(code ? isFloodgateError(outcome, code) : outcome === 'started').toBe(true);
  expect((outcomes[2]?.[2] ?? 0) > 900).toBe(onStoreError === 'local');
});

describe('schedule', () => {
  const jobs = definePolicy({
    name: 'jobs',
    levels: [
      { level: 'user', limit: 2, windowMs: 60_000 },
      { level: 'global', concurrent: 1, leaseMs: 3_000 },
    ],
    settle: 'failures',
  });

  test('returns the result, holds the lease while the function runs, and settles by the outcome', async () => {
    const { limiter } = start();
    const signal = new AbortController().signal;
    const used = async () => (await limiter.peek(jobs, { user: 'ada' })).windows.map((window) => window.used);
    const job = limiter.schedule(
      jobs,
      { user: 'ada' },
      async (call) => {
        await new Promise((resolve) => setTimeout(resolve, 10_000));
        expect(call.signal).toBe(signal);
        return call.decision.policy;
      },
      { signal },
    );
    await vi.advanceTimersByTimeAsync(9_000);
    expect(await used()).toEqual([1, 1]);
    await vi.advanceTimersByTimeAsync(1_001);
    expect(await job).toBe('jobs');
    await vi.advanceTimersByTimeAsync(1);
    // `failures` counts failed calls only.
    expect(await used()).toEqual([0, 0]);
  });

  test('throws the error of the function, also one that throws at once', async () => {
    const { limiter } = start();
    const error = new Error('no route');
    const failing = limiter.schedule(jobs, { user: 'ada' }, () => {
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    await vi.advanceTimersByTimeAsync(1);
    const { windows } = await limiter.peek(jobs, { user: 'ada' });
    expect(windows.map(({ used }) => used)).toEqual([1, 0]);
  });
});

test('on Cloudflare Workers, each call waits by itself', async () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
  vi.resetModules();
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });
  const { createLimiter: createWorkerLimiter } = await import('../limiter');
  let checks = 0;
  const memory = memoryStore();
  const store: Store = {
    ...memory,
    decide(batch) {
      checks += batch.length;
      return memory.decide(batch);
    },
  };
  const limiter = createWorkerLimiter({
    store,
    secret: 'a secret of at least 32 characters',
    cacheDenials: false,
  });
  const { watch, outcomes } = collect();
  for (let call = 0; call < 3; call += 1) watch(call, limiter.wait(perSecond(1), { user: 'ada' }));
  await vi.advanceTimersByTimeAsync(1);
  expect(checks).toBe(3);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(outcomes).toHaveLength(3);
});

test('a closed limiter rejects the calls that wait', async () => {
  const { limiter } = start();
  const policy = perSecond(1);
  await limiter.wait(policy, { user: 'ada' });
  const waiting = Promise.allSettled([1, 2].map(() => limiter.wait(policy, { user: 'ada' })));
  await limiter.close();
  for (const { reason } of (await waiting) as PromiseRejectedResult[])
    expect(reason).toMatchObject({ code: 'STORE_UNAVAILABLE', kind: 'closed' });
  const later = limiter.wait(perSecond(1, 'leaky-bucket'), { user: 'ada' }, { maxWaitMs: 500 });
  await expect(later).rejects.toMatchObject({ kind: 'closed' });
});

test('policies that punish and levels with a queue are refused at once', async () => {
  const { limiter } = start();
  const punishing = definePolicy({
    name: 'sign-in',
    levels: [{ level: 'user', limit: 1, windowMs: 1_000, punishment: { warnAt: 1, banAt: 2, banMs: 1_000 } }],
  });
  const queued = definePolicy({
    name: 'sale',
    levels: [
      { level: 'user', limit: 1, windowMs: 1_000 },
      { level: 'global', limit: 1, windowMs: 1_000, queue: { maxLength: 1, maxWaitMs: 1_000 } },
    ],
    requestId: () => 'id',
  });
  await expect(limiter.wait(punishing, { user: 'ada' })).rejects.toThrow(
    'Policy "sign-in": levels[0].punishment is {"lapseMs":3600000,"warnAt":1',
  );
  await expect(limiter.schedule(queued, { user: 'ada' }, () => 1)).rejects.toThrow(
    'Policy "sale": levels[1].queue is {"maxLength":1,"maxWaitMs":1000}. Calls wait for this level in its queue',
  );
});

test('invalid options and calls are refused with the field, the value and the fix', async () => {
  const { limiter } = start();
  const policy = perSecond(1);
  const wait = (options: object, call: object = { user: 'ada' }) =>
    limiter.wait(policy, call as never, options);
  await expect(wait({ maxWaitMs: 1.5 })).rejects.toThrow('wait: maxWaitMs is 1.5. Use whole milliseconds');
  await expect(wait({ maxWait: 1 })).rejects.toThrow('wait: maxWait is 1. This is not an option.');
  await expect(wait({ signal: 1 })).rejects.toThrow('wait: signal is a number');
  await expect(wait({}, { mail: 'a' })).rejects.toThrow('Policy "api": mail is a string');
  await expect(wait({}, { user: 'ada', cost: 2 })).rejects.toThrow('the cost of this call is 2');
  await expect(limiter.schedule(policy, { user: 'ada' }, 'fn' as never)).rejects.toThrow(
    'schedule: the function',
  );
});

test('calls of wait and schedule have the type of their policy', () => {
  const { limiter } = start();
  const policy = definePolicy({ name: 'typed', levels: [{ level: 'email', limit: 1, windowMs: 1 }] });
  expectTypeOf(() => limiter.schedule(policy, { email: 'a' }, async () => 1)).returns.resolves.toBeNumber();
  expectTypeOf(() =>
    limiter.schedule(policy, { email: 'a' }, ({ signal }) => signal),
  ).returns.resolves.toEqualTypeOf<AbortSignal | undefined>();
  expectTypeOf(() => limiter.wait(policy, { email: 'a' }))
    .returns.resolves.toHaveProperty('allowed')
    .toEqualTypeOf<true>();
  // @ts-expect-error `email` is missing.
  expectTypeOf(() => limiter.wait(policy, {})).toBeFunction();
  // @ts-expect-error `mail` is no level.
  expectTypeOf(() => limiter.schedule(policy, { mail: 'a' }, () => 1)).toBeFunction();
  expect(ALGORITHMS).toHaveLength(5);
});
