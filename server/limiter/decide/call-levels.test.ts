import { expect, test } from 'vitest';
import { testKeys } from '../../../test/store-commands';
import { byPlan } from '../policy/by-plan';
import { createOverrides } from '../policy/overrides';
import { resolvePolicy } from '../policy/resolve-policy';
import { encodeBatch } from '../stores/codec';
import { type CallLevels, createCallLevels } from './call-levels';
import { createKeys } from './key';
import { createPersons } from './person';

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

/** Encodes one call of each caller in one batch. */
function encode(...callers: CallLevels[]) {
  const commandOf = ({ policyArgs }: CallLevels) => ({ policyArgs, keys: testKeys('', String), cost: 1 });
  return encodeBatch(callers.map((one) => ({ command: commandOf(one), clock: undefined }))).args;
}

test('callers with different numbers share the policy arguments of a batch, and send their numbers with the call', () => {
  const levelsOf = setUp();
  expect(encode(levelsOf('free'), levelsOf('vip'))).toEqual([
    '1 0 0 sliding-log * * 10 enforce 0 0 0 sliding-log 50 1000 10 enforce 0 0 0',
    2,
    '3 1000',
    '6 1000',
  ]);
});

test('the cost of a call goes before its numbers', () => {
  const levelsOf = setUp({ cost: () => 1, maxCost: 3 });
  const [policyArgs, , numbers] = encode(levelsOf('vip'));
  expect(policyArgs).toMatch(/^\* 0 0 /);
  expect(numbers).toBe('1 6 1000');
});
