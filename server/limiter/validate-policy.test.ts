import { expect, test } from 'vitest';
import { z } from 'zod';
import { keyedBy, type Level, type Policy, resolvePolicy } from './policy';
import { PolicyError } from './validate-policy';

const level: Level<unknown> = { level: 'user', limit: 3, windowMs: 1_000 };
const punishment = { warnAt: 3, banAt: 5, banMs: 60_000 };
const anything = z.unknown();
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
    'levels[0].windowMs is NaN',
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
  [
    'an algorithm that nobody wrote',
    { ...good, levels: [{ ...level, algorithm: 'guess' as never }] },
    'levels[0].algorithm is "guess"',
  ],
  ['a mode that is none', { ...good, levels: [{ ...level, mode: 'on' as never }] }, 'levels[0].mode is "on"'],
  [
    'a bucket beyond whole numbers',
    { ...good, levels: [{ ...level, algorithm: 'token-bucket', limit: 1_000_000, windowMs: 3e10 }] },
    'levels[0].limit is 1000000',
  ],
  [
    'a queue longer than a timer',
    { ...good, levels: [{ ...level, algorithm: 'leaky-bucket', windowMs: 2 ** 31 }] },
    'levels[0].windowMs is 2147483648',
  ],
  [
    'sub-windows shorter than the clock',
    { ...good, levels: [{ ...level, algorithm: 'sliding-counter', windowMs: 5, subWindows: 10 }] },
    'levels[0].subWindows is 10',
  ],
  [
    'half a sub-window',
    { ...good, levels: [{ ...level, algorithm: 'sliding-counter', subWindows: 2.5 }] },
    'levels[0].subWindows is 2.5',
  ],
  [
    'a ban below the warning',
    { ...good, levels: [{ ...level, punishment: { ...punishment, warnAt: 6 } }] },
    'levels[0].punishment.warnAt is 6',
  ],
  [
    'a ban at nothing',
    { ...good, levels: [{ ...level, punishment: { ...punishment, banAt: 0 } }] },
    'levels[0].punishment.banAt is 0',
  ],
  [
    'a ban without end',
    { ...good, levels: [{ ...level, punishment: { ...punishment, banMs: Number.POSITIVE_INFINITY } }] },
    'levels[0].punishment.banMs is Infinity',
  ],
  [
    'violations that lapse at once',
    { ...good, levels: [{ ...level, punishment: { ...punishment, lapseMs: 0 } }] },
    'levels[0].punishment.lapseMs is 0',
  ],
  [
    'everybody punished for the flood',
    { ...good, levels: [{ ...level, level: 'global', punishment }] },
    'levels[0].punishment is "global"',
  ],
  [
    'a stranger punished by whoever types their address',
    { ...good, levels: [{ ...level, level: 'email', by: keyedBy(anything, () => ''), punishment }] },
    'levels[0].punishment is "email"',
  ],
  [
    'stock sold by what one node counts',
    { ...good, onStoreError: 'local', requestId: () => 'id' },
    'onStoreError is "local"',
  ],
  [
    'stock sold uncounted',
    { ...good, onStoreError: 'open', requestId: () => 'id' },
    'onStoreError is "open"',
  ],
  ['a fate that is none', { ...good, onStoreError: 'ajar' as never }, 'onStoreError is "ajar"'],
];

test.each(mistakes)('%s is named with its policy, field, value and fix', (_mistake, policy, field) => {
  expect(() => resolvePolicy(policy, 'path')).toThrow(PolicyError);
  expect(() => resolvePolicy(policy, 'path')).toThrow(`Policy "${policy.name}": ${field}`);
});
