import { expect, test } from 'vitest';
import { keysOf } from './key';
import { resolvePolicy } from './policy';
import { createPseudonyms } from './pseudonym';

const options = { prefix: 'p:', pseudonymOf: createPseudonyms('secret') };
const window = { limit: 1, windowMs: 1 };
const message = { en: 'Too many.' };
const single = resolvePolicy({ name: 'claim', levels: [{ level: 'user', ...window }], message }, '');
const double = resolvePolicy(
  {
    name: 'seckill',
    levels: [
      { level: 'user', ...window },
      { level: 'global', ...window },
    ],
    message,
  },
  '',
);
const tagOf = (key: string) => key.slice(key.indexOf('{'), key.indexOf('}') + 1);

test('all keys of one call carry one hash tag', () => {
  const keys = keysOf(double, ['ada', ''], options);
  expect(new Set([keys.level(0), keys.level(1), keys.request('id')].map(tagOf))).toEqual(
    new Set(['{seckill}']),
  );
});

test('a policy of one level spreads its subjects over the slots', () => {
  expect(tagOf(keysOf(single, ['ada'], options).level(0))).not.toBe(
    tagOf(keysOf(single, ['bob'], options).level(0)),
  );
});

test('the global level is the same for everybody, a user level for nobody else', () => {
  const [ada, bob] = [keysOf(double, ['ada', ''], options), keysOf(double, ['bob', ''], options)];
  expect(ada.level(1)).toBe(bob.level(1));
  expect(ada.level(0)).not.toBe(bob.level(0));
});

test.each([
  ['separators', 'a:b', 'a'],
  ['braces', 'a}', 'a{'],
  ['letter case', 'A', 'a'],
  ['halves of surrogate pairs, which UTF-8 merges', '\ud800', '\ud801'],
  ['the empty subject', '', ' '],
])('subjects that differ in %s have different keys', (_what, one, other) => {
  expect(keysOf(single, [one], options).level(0)).not.toBe(keysOf(single, [other], options).level(0));
});

test('no level has a key that something else has, whatever its name', () => {
  const names = ['request', 'violations', 'bans', 'id'];
  const levels = names.map((level) => ({ level, by: () => 'ada', ...window }));
  const keys = keysOf(resolvePolicy({ levels, message }, 'look'), Array(4).fill('ada'), options);
  const all = names.flatMap((_name, place) => [keys.level(place), keys.violations(place)]);
  expect(new Set([...all, keys.bans, keys.request('ada')]).size).toBe(all.length + 2);
});

test('a key does not give away its subject, and another secret makes another key', () => {
  const key = keysOf(single, ['ada@example.com'], options).level(0);
  expect(key).not.toContain('ada');
  expect(
    keysOf(single, ['ada@example.com'], { ...options, pseudonymOf: createPseudonyms('other') }).level(0),
  ).not.toBe(key);
});
