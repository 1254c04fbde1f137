import { expect, test } from 'vitest';
import { createOverrides, type PersonChange, type PersonRule } from '../policy/overrides';
import { resolvePolicy } from '../policy/resolve-policy';
import { createKeys } from './key';
import { createPersons } from './person';

const onWarning = () => undefined;
const keys = createKeys({ prefix: '', secret: 'a secret of at least 32 characters' });
const policy = resolvePolicy<unknown>(
  { levels: [{ level: 'ip', limit: 3, windowMs: 1_000 }], message: { en: 'Too many.' } },
  'read',
);
const address = '203.0.113.7';
const pseudonym = keys.of(policy, [address]).pseudonym(0);

function setUp(rules: Record<string, PersonRule>) {
  let now = 0;
  const persons = createPersons({ onWarning, clock: () => now });
  const change = (changes: Record<string, PersonRule | undefined>) =>
    persons.change(
      Object.entries(changes).map(
        ([ref, rule]): PersonChange => ({ policy: 'read', level: 'ip', ref, rule }),
      ),
    );
  change(rules);
  const effective = createOverrides({ onWarning }).apply(policy);
  return {
    change,
    /** Returns the rule of the caller at this instant: the limit, or the end of the denial. */
    at(instant: number) {
      now = instant;
      const call = { keys: keys.of(policy, [address]), subjects: [address], plans: undefined };
      const { policy: personal, denial } = persons.resolve(effective, call);
      return denial?.refusedBy.punished?.bannedUntil ?? personal.levels[0]?.limit;
    },
  };
}

test('a denial that has ended gives way to the next rule: of a wider range, then of the level', () => {
  const { at, change } = setUp({
    [pseudonym]: { kind: 'deny', until: 10 },
    '203.0.113.0/28': { kind: 'deny', until: 20 },
    '203.0.113.0/24': { kind: 'numbers', limit: 50 },
  });
  expect([at(9), at(10), at(19), at(20)]).toEqual([10, 20, 20, 50]);
  change({ '203.0.113.0/24': undefined });
  expect(at(21)).toBe(3);
});

test('each change drops the denials that have ended', () => {
  const { at, change } = setUp({
    [pseudonym]: { kind: 'deny', until: 10 },
    '203.0.113.0/28': { kind: 'deny', until: 10 },
  });
  expect(at(11)).toBe(3);
  change({ '198.51.100.0/24': { kind: 'exempt' } });
  expect(at(5), 'also if the clock steps back').toBe(3);
});
