import { expect, test } from 'vitest';
import { byPlan } from './by-plan';
import type { Level, Policy } from './policy';
import { resolvePolicy } from './resolve-policy';

const level: Level<unknown> = { level: 'user', limit: 10, windowMs: 1_000 };
const good: Policy<unknown> = {
  name: 'test',
  levels: [level],
  settle: 'failures',
  message: { en: 'Too many.' },
};
const withLevel = (fields: Partial<Level<unknown>>): Policy<unknown> => ({
  ...good,
  levels: [level, { ...level, level: 'ip', ...fields }],
});
const limit = byPlan({ free: 5, vip: 20 }, () => 'free' as const);
const windowMs = byPlan({ free: 1_000, vip: 2_000 }, () => 'free' as const);

test('a settling policy is accepted, and has a minute for each call', () => {
  expect(resolvePolicy(good, '')).toMatchObject({ settle: 'failures', settleMs: 60_000 });
  for (const algorithm of ['sliding-counter', 'fixed-window'] as const)
    expect(resolvePolicy(withLevel({ algorithm, limit }), '')).toBeDefined();
  expect(resolvePolicy(withLevel({ limit, windowMs }), '')).toBeDefined();
});

test.each<[mistake: string, policy: Policy<unknown>, error: string]>([
  ['settle of another text', { ...good, settle: 'errors' as never }, 'settle is "errors". Use a function'],
  ['no time to settle', { ...good, settleMs: 0 }, 'settleMs is 0. Use whole milliseconds from 1 to an hour'],
  ['a day to settle', { ...good, settleMs: 86_400_000 }, 'settleMs is 86400000. Use whole milliseconds'],
  [
    'a time to settle alone',
    { ...good, settle: undefined, settleMs: 1_000 },
    'settleMs is 1000. Give settle too',
  ],
  ['a request id', { ...good, requestId: () => 'id' }, 'settle is "failures". Remove it, or the requestId'],
  [
    'a punishment',
    withLevel({ punishment: { warnAt: 1, banAt: 2, banMs: 1_000 } }),
    'levels[1].punishment is {"warnAt":1,"banAt":2,"banMs":1000}. Remove it, or settle',
  ],
  [
    'a leaky bucket',
    withLevel({ algorithm: 'leaky-bucket' }),
    'levels[1].algorithm is "leaky-bucket". Use another algorithm with settle',
  ],
  [
    'a bucket whose limit differs by plan',
    withLevel({ algorithm: 'token-bucket', limit }),
    'levels[1].limit is "byPlan". Use a sliding-log with settle',
  ],
  [
    'a counter whose window differs by plan',
    withLevel({ algorithm: 'sliding-counter', windowMs }),
    'levels[1].windowMs is "byPlan". Use a sliding-log with settle',
  ],
])('%s is a mistake that names field, value and fix', (_mistake, policy, error) => {
  expect(() => resolvePolicy(policy, '')).toThrow(`Policy "test": ${error}`);
});
