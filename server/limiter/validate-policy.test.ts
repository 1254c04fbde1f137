import { expect, test } from 'vitest';
import { type Level, type Policy, resolvePolicy } from './policy';
import { PolicyError } from './validate-policy';

const level: Level<unknown> = { level: 'user', limit: 3, windowMs: 1_000 };
const good: Policy<unknown> = { name: 'test', levels: [level], message: { en: 'Too many.' } };

test('a policy that makes sense is taken, with its defaults', () => {
  expect(resolvePolicy(good, 'path')).toMatchObject({
    name: 'test',
    cost: 1,
    onStoreError: 'closed',
    levels: [{ algorithm: 'sliding-log' }],
  });
});

test('the name defaults to the path of the procedure', () => {
  const { name: _name, ...unnamed } = good;
  expect(resolvePolicy(unnamed, 'coupon.claim').name).toBe('coupon.claim');
});

const mistakes: [mistake: string, policy: Policy<unknown>, field: string][] = [
  ['a limit of nothing', { ...good, levels: [{ ...level, limit: 0 }] }, 'levels[0].limit is 0'],
  ['half a unit', { ...good, levels: [{ ...level, limit: 1.5 }] }, 'levels[0].limit is 1.5'],
  [
    'a window shorter than the clock',
    { ...good, levels: [{ ...level, windowMs: 0.5 }] },
    'levels[0].windowMs is 0.5',
  ],
  [
    'a window beyond a year',
    { ...good, levels: [{ ...level, windowMs: 1e12 }] },
    'levels[0].windowMs is 1000000000000',
  ],
  [
    'a window that is not a number',
    { ...good, levels: [{ ...level, windowMs: Number.NaN }] },
    'levels[0].windowMs',
  ],
  ['a cost above the limit', { ...good, cost: 4 }, 'cost is 4'],
  ['no level', { ...good, levels: [] }, 'levels is []'],
  ['a level twice', { ...good, levels: [level, level] }, 'levels[1].level is "user"'],
  [
    'a level of unknown meaning',
    { ...good, levels: [{ ...level, level: 'email' }] },
    'levels[0].by is undefined',
  ],
  [
    'a known level told whom to count',
    { ...good, levels: [{ ...level, by: () => 'x' }] },
    'levels[0].by is a function',
  ],
  ['no text for the refused', { ...good, message: { en: ' ' } }, 'message.en is " "'],
  ['a name with a separator', { ...good, name: 'a:b' }, 'name is "a:b"'],
];

test.each(mistakes)('%s is named with its policy, field, value and fix', (_mistake, policy, field) => {
  expect(() => resolvePolicy(policy, 'path')).toThrow(PolicyError);
  expect(() => resolvePolicy(policy, 'path')).toThrow(`Policy "${policy.name}": ${field}`);
});
