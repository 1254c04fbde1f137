import { expect, test } from 'vitest';
import type { Refused } from '../decide/decision';
import type { Policy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { refusalError } from './trpc';

const policy = resolvePolicy<never>(
  {
    name: 'sale',
    levels: [
      {
        level: 'user',
        limit: 5,
        windowMs: 10_000,
        message: { en: 'Your tries are used up.', zh: '次数已用完。' },
      },
      { level: 'global', limit: 100, windowMs: 10_000 },
    ],
    message: { en: 'Too many shoppers.', zh: '人太多了。' },
  } satisfies Policy<never>,
  'sale',
);

const refusedBy = (level: string): Refused => ({
  ...{ allowed: false, policy: 'sale', now: 0, levels: [], shadowRefusals: [], degraded: false },
  reason: 'limited',
  retryAfterMs: 1,
  refusedBy: {
    ...{ level, algorithm: 'sliding-log', limit: 5, windowMs: 10_000, used: 5, remaining: 0 },
    ...{ resetMs: 10_000, retryAfterMs: 1 },
  },
});

test.each([
  ['user', 'zh', '次数已用完。'],
  ['user', 'en', 'Your tries are used up.'],
  ['user', 'fr', 'Your tries are used up.'],
  ['global', 'zh', '人太多了。'],
  ['global', 'fr', 'Too many shoppers.'],
])('a refusal by %s in %s has the text of its level, else of its policy', (level, language, text) => {
  expect(refusalError(policy, language, refusedBy(level)).message).toBe(text);
});

test('a level with an empty text stops the start', () => {
  const levels = [{ level: 'user', limit: 5, windowMs: 10_000, message: { en: ' ' } }];
  expect(() => resolvePolicy<never>({ levels, message: { en: 'Too many.' } }, 'sale.empty')).toThrow(
    'levels[0].message.en is " "',
  );
});
