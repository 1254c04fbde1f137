import { expect, test } from 'vitest';
import { byPlan } from '../policy/by-plan';
import { createOverrides } from '../policy/overrides';
import { createPersons } from '../policy/person';
import { resolvePolicy } from '../policy/policy';
import { createCallLevels } from './call-levels';
import { createKeys } from './key';

const onWarning = () => undefined;
const keys = createKeys({ prefix: '', secret: 'a secret of at least 32 characters' });

/** Returns the levels of a call with these numbers of its caller. */
function setUp({ cost, maxCost }: { cost?: () => number; maxCost?: number } = {}) {
  const policy = resolvePolicy<unknown>(
    {
      levels: [
        { level: 'user', limit: byPlan({ free: 3, vip: 6 }, () => 'free'), windowMs: 1_000 },
        { level: 'global', limit: 50, windowMs: 1_000 },
      ],
      ...(cost && { cost, maxCost: maxCost ?? 1 }),
      message: { en: 'Too many.' },
    },
    'sale',
  );
  const persons = createPersons({ onWarning, clock: () => 0 });
  const callLevelsOf = createCallLevels({ onWarning });
  const effective = createOverrides({ onWarning }).apply(policy);
  return (limit: string) => {
    const subjects = ['ada', ''];
    const call = {
      ...{ keys: keys.of(policy, subjects), subjects },
      plans: [{ limit, windowMs: undefined }, undefined],
    };
    return callLevelsOf(persons.resolve(effective, call).policy, subjects);
  };
}

test('callers with different numbers have the same policy arguments, and send their numbers with the call', () => {
  const levelsOf = setUp();
  const [free, vip] = [levelsOf('free'), levelsOf('vip')];
  expect(free.policyArgs).toBe(vip.policyArgs);
  expect(free.policyArgs).toContain('sliding-log * * 10');
  expect(free.policyArgs).toContain('sliding-log 50 1000 10');
  expect([free.encodeNumbers(1), vip.encodeNumbers(1)]).toEqual(['3 1000', '6 1000']);
});

test('the cost of a call goes before its numbers', () => {
  const levelsOf = setUp({ cost: () => 1, maxCost: 3 });
  expect(levelsOf('vip').policyArgs).toMatch(/^\* 0 0 /);
  expect(levelsOf('vip').encodeNumbers(2)).toBe('2 6 1000');
});
