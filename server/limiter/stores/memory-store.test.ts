import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { decideOne, testArgs, testKeys, testLevel } from '../../../test/store-commands';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import type { LevelAlgorithm } from '../policy/policy';
import { memoryStore } from './memory-store';

const START = Date.UTC(2026, 0, 1);

function createTestLimiter() {
  const time = { now: START };
  const store = memoryStore({ clock: () => time.now });
  const limiter = createLimiter({ store, secret: 'a secret of at least 32 characters' });
  return { time, limiter, store };
}

const claim = definePolicy({
  name: 'claim',
  levels: [
    { level: 'user', limit: 2, windowMs: 60_000, punishment: { warnAt: 1, banAt: 2, banMs: 600_000 } },
    { level: 'global', limit: 3, windowMs: 60_000 },
  ],
});

test('a test moves the clock past a window, and the cached denials of the limiter follow', async () => {
  const { time, limiter } = createTestLimiter();
  const policy = { name: 'greet', levels: [{ level: 'ip', limit: 1, windowMs: 10_000 }] } as const;
  const call = () => limiter.check(policy, { ip: '192.0.2.1' });
  expect(await call()).toMatchObject({ allowed: true, now: START });
  for (const later of [1, 4_000, 9_999]) {
    time.now = START + later;
    expect(await call()).toMatchObject({ allowed: false, retryAfterMs: 10_000 - later });
  }
  time.now = START + 10_000;
  expect(await call()).toMatchObject({ allowed: true });
});

test('of 200 calls at once exactly the limit is admitted, and a call is charged on all levels or on none', async () => {
  const { limiter } = createTestLimiter();
  const people = Array.from({ length: 200 }, (_, index) => ({ user: `user-${index}` }));
  const decisions = await Promise.all(people.map((person) => limiter.check(claim, person)));
  expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(3);
  const { windows } = await limiter.peek(claim, { user: 'user-199' });
  expect(windows.map(({ level, used }) => [level, used])).toEqual([
    ['user', 0],
    ['global', 3],
  ]);
});

test('violations ban a caller until the ban is lifted or ends', async () => {
  const { time, limiter } = createTestLimiter();
  const call = () => limiter.check(claim, { user: 'Ada' });
  for (let calls = 0; calls < 3; calls += 1) await call();
  expect(await call()).toMatchObject({ allowed: false, reason: 'banned', retryAfterMs: 600_000 });
  const [ban] = await limiter.bans.list(claim);
  expect(ban).toMatchObject({ bannedUntil: START + 600_000, violations: 2 });
  expect(await limiter.bans.count(claim)).toBe(1);
  expect(await limiter.bans.lift(claim, ban?.banId ?? '')).toBe(true);
  expect(await limiter.bans.count(claim)).toBe(0);
  time.now += 60_000;
  expect(await call()).toMatchObject({ allowed: true });
});

test('a request id charges once', async () => {
  const { limiter } = createTestLimiter();
  const requestId = 'b6ac5d7f-41dc-4c7c-a4a6-8cb1a1ea1dbb';
  const policy = definePolicy({ ...claim, name: 'buy' });
  expect(await limiter.check(policy, { user: 'Ada', requestId })).toMatchObject({ replayed: false });
  expect(await limiter.check(policy, { user: 'Ada', requestId })).toMatchObject({ replayed: true });
  const { windows } = await limiter.peek(policy, { user: 'Ada' });
  expect(windows.map(({ used }) => used)).toEqual([1, 1]);
});

test('it has no timers: fake timers of a test do not stop a decision', async () => {
  vi.useFakeTimers({ now: START });
  try {
    const limiter = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
    const decisions = await Promise.all([1, 2, 3].map(() => limiter.check(claim, { user: 'Ada' })));
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    vi.setSystemTime(START + 60_000);
    const { windows } = await limiter.peek(claim, { user: 'Ada' });
    expect(windows.map(({ used }) => used)).toEqual([0, 0]);
  } finally {
    vi.useRealTimers();
  }
});

test('the deletion of expired states keeps the others', async () => {
  const time = { now: START };
  const store = memoryStore({ clock: () => time.now });
  const level = testLevel('sliding-log', { limit: 1, windowMs: 1_000 });
  for (let subject = 0; subject < 20_000; subject += 1) {
    time.now += 100;
    await decideOne(store, `subject-${subject}`, { policyArgs: testArgs([level]) });
  }
  const peek = (key: string) =>
    decideOne(store, key, { policyArgs: testArgs([level], { cost: 0, hits: 1 }) });
  expect((await peek('subject-0')).levels).toMatchObject([{ used: 0, retryAfterMs: 0, hits: [] }]);
  const newest = { used: 1, retryAfterMs: 1_000, resetMs: 1_000, hits: [time.now] };
  expect((await peek('subject-19999')).levels).toMatchObject([newest]);
});

test('a key with the state of another algorithm fails its call only, as on Redis', async () => {
  const store = memoryStore();
  const argsOf = (algorithm: LevelAlgorithm) =>
    testArgs([testLevel(algorithm, { limit: 1, windowMs: 1_000 })]);
  await decideOne(store, 'a', { policyArgs: argsOf('sliding-log') });
  const policyArgs = argsOf('token-bucket');
  const [failed, other] = await store.decide(
    ['a', 'b'].map((key) => ({
      command: { policyArgs, keys: testKeys(key, () => key), cost: 1 },
      clock: undefined,
    })),
  );
  expect(failed).toMatchObject({ name: 'ReplyError', message: 'ERR a has the state of another algorithm' });
  expect(other).toMatchObject({ outcome: 'admitted', levels: [{ used: 1, retryAfterMs: 1_000 }] });
});

test.each([
  ['settles', { levels: [{ level: 'user', limit: 5, windowMs: 1_000 }], settle: 'failures' }],
  ['counts calls in flight', { levels: [{ level: 'user', concurrent: 5, leaseMs: 1_000 }] }],
] as const)('a request id of a policy that %s is an error with the fix', async (_name, fields) => {
  const { limiter } = createTestLimiter();
  const policy = { name: 'strict', ...fields };
  await expect(limiter.check(policy, { user: 'ada', requestId: 'id' })).rejects.toThrow(
    'Policy "strict": requestId of this call is "id". Omit it:',
  );
  expect((await limiter.peek(policy, { user: 'ada' })).windows).toMatchObject([{ used: 0 }]);
});

test('a token bucket is GCRA: it admits a call if now >= TAT - (limit - 1) * T', async () => {
  const calls = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 80, size: 'max' });
  const numbers = fc.record({
    limit: fc.integer({ min: 1, max: 9 }),
    windowMs: fc.integer({ min: 1, max: 2_000 }),
  });
  await fc.assert(
    fc.asyncProperty(numbers, calls, async ({ limit, windowMs }, waits) => {
      const store = memoryStore();
      const policyArgs = testArgs([testLevel('token-bucket', { limit, windowMs })]);
      let now = START;
      // All instants times `limit`, so that T is the whole number windowMs.
      let arrivalAt = 0;
      for (const wait of waits) {
        now += wait;
        const conforms = now * limit >= arrivalAt - (limit - 1) * windowMs;
        if (conforms) arrivalAt = Math.max(arrivalAt, now * limit) + windowMs;
        const { outcome } = await decideOne(store, 'bucket', { policyArgs, clock: now });
        expect(outcome).toBe(conforms ? 'admitted' : 'refused');
      }
    }),
    { numRuns: 200 },
  );
});
