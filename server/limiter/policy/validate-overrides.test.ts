import { expect, test } from 'vitest';
import { createLimiter } from '../limiter';
import { LimiterOptionError } from '../options';
import { memoryStore } from '../stores/memory-store';
import { resolvePolicy } from './resolve-policy';
import { PolicyError } from './validate-policy';

const ref = 'a'.repeat(22);
const override = { policy: 'sale', level: 'user', limit: 5, version: 1 };
const person = { policy: 'sale', level: 'user', ref, rule: { kind: 'numbers', limit: 5 } };

/** Mistakes that the compiler cannot find, each with the part of the error that names field, value and fix. */
const mistakes: [mistake: string, overrides: unknown, persons: unknown, text: string][] = [
  ['a limit of 0', [{ ...override, limit: 0 }], [], 'overrides[0].limit is 0. Use a whole number from 1 to'],
  ['a limit as a text', [{ ...override, limit: '5' }], [], 'overrides[0].limit is "5".'],
  ['a limit of null', [{ ...override, limit: null }], [], 'overrides[0].limit is null.'],
  ['a part of a call', [override, { ...override, limit: 1.5 }], [], 'overrides[1].limit is 1.5.'],
  ['a window of 0', [{ ...override, windowMs: 0 }], [], 'overrides[0].windowMs is 0. Use whole milliseconds'],
  ['an unknown mode', [{ ...override, mode: 'stop' }], [], 'Use "enforce", "shadow", "off" or "block".'],
  ['an unknown field', [{ ...override, limt: 5 }], [], 'overrides[0].limt is 5. This is not a field of'],
  ['no version', [{ policy: 'sale', level: 'user' }], [], 'overrides[0].version is undefined.'],
  ['no policy', [{ level: 'user', version: 1 }], [], 'overrides[0].policy is undefined.'],
  ['no level', [{ policy: 'sale', version: 1 }], [], 'overrides[0].level is undefined.'],
  ['a closed queue as a text', [{ ...override, isQueueClosed: 'no' }], [], 'isQueueClosed is "no".'],
  ['an entry that is no object', ['sale'], [], 'overrides[0] is "sale".'],
  ['a rule without a kind', [], [{ ...person, rule: { limit: 5 } }], 'persons[0].rule.kind is undefined.'],
  ['no rule', [], [{ ...person, rule: undefined }], 'persons[0].rule is undefined.'],
  ['a limit of 0 for a person', [], [{ ...person, rule: { kind: 'numbers', limit: 0 } }], 'rule.limit is 0.'],
  [
    'a number of an exempt person',
    [],
    [{ ...person, rule: { kind: 'exempt', limit: 5 } }],
    'rule.limit is 5.',
  ],
  ['a denial without an end', [], [{ ...person, rule: { kind: 'deny' } }], 'rule.until is undefined.'],
  ['a subject instead of its pseudonym', [], [{ ...person, ref: 'ada' }], 'limiter.pseudonymOf(subject)'],
  ['a range of every address', [], [{ ...person, ref: '10.0.0.0/0' }], 'persons[0].ref is "10.0.0.0/0".'],
  ['a range of a part of a network', [], [{ ...person, ref: '2001:db8::/96' }], 'ref is "2001:db8::/96".'],
  [
    'a shared level of a person',
    [],
    [{ ...person, policy: '@shop' }],
    'policy is "@shop". Use the name of each policy',
  ],
  ['an unknown field of a person', [], [{ ...person, version: 1 }], 'persons[0].version is 1.'],
];

test.each(mistakes)('%s is an error, and nothing is applied', (_mistake, overrides, persons, text) => {
  const limiter = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
  const levels = [{ level: 'user', limit: 3, windowMs: 1_000 }] as const;
  const policy = resolvePolicy({ name: 'sale', levels, message: { en: 'Too many.' } }, 'sale');
  limiter.setOverrides([{ ...override, limit: 9 }]);
  const set = () => limiter.setOverrides(overrides as never, persons as never);
  expect(set).toThrow(PolicyError);
  expect(set).toThrow(text);
  expect(limiter.effectivePolicy(policy).levels).toMatchObject([{ limit: 9 }]);
});

test('what is no list is an error', () => {
  const limiter = createLimiter({ store: memoryStore(), secret: 'a secret of at least 32 characters' });
  for (const [overrides, shown] of [
    [undefined, 'undefined'],
    [override, 'an object'],
  ]) {
    const set = () => limiter.setOverrides(overrides as never);
    expect(set).toThrow(LimiterOptionError);
    expect(set).toThrow(`setOverrides: overrides is ${shown}. Give a list.`);
  }
  expect(() => limiter.setOverrides([], person as never)).toThrow('setOverrides: persons is an object.');
  expect(() => limiter.changeOverrides([], undefined as never)).toThrow(
    'changeOverrides: persons is undefined.',
  );
});
