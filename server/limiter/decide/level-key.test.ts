import { expect, test } from 'vitest';
import { resolvePolicy } from '../policy/resolve-policy';
import { createLevelKeyOf } from './key';

/** The keys of a level, and how many of them have been made. */
function levelKeys(level: 'user' | 'global') {
  const { levels } = resolvePolicy(
    { name: 'view', levels: [{ level, limit: 1, windowMs: 1 }], message: { en: 'Too many.' } },
    'view',
  );
  let made = 0;
  const keyOf = (name: string) => {
    made += 1;
    return `key of ${name}`;
  };
  const [resolved] = levels;
  if (!resolved) throw new Error('the policy has a level');
  return { of: createLevelKeyOf(resolved, { secret: 'secret', keyOf }), made: () => made };
}

test('the key of a subject that calls again is cached', () => {
  const { of, made } = levelKeys('user');
  const { pseudonym, key } = of('ada');
  expect(key).toBe(`key of ${pseudonym}`);
  of('bob');
  expect(of('ada')).toEqual({ pseudonym, key });
  expect(made()).toBe(2);
});

test('the global level has one key', () => {
  const { of, made } = levelKeys('global');
  expect([of(''), of('ada')]).toEqual(Array(2).fill({ pseudonym: 'all', key: 'key of all' }));
  expect(made()).toBe(1);
});

test('at most 10 000 subjects of a level are cached, the most recent', () => {
  const { of, made } = levelKeys('user');
  const first = of('ada');
  for (let other = 0; other < 10_000; other += 1) of(`other ${other}`);
  of('other 0');
  expect(made()).toBe(10_001);
  expect(of('ada')).toEqual(first);
  expect(made()).toBe(10_002);
});

test('a long subject is not cached', () => {
  const { of, made } = levelKeys('user');
  expect(of('a'.repeat(101))).toEqual(of('a'.repeat(101)));
  of('a'.repeat(100));
  of('a'.repeat(100));
  expect(made()).toBe(3);
});
