import { expect, test } from 'vitest';
import { z } from 'zod';
import { byPlan } from './by-plan';
import { type InFlightLevel, keyedBy, type Level, type Policy } from './policy';
import { resolvePolicy } from './resolve-policy';
import { shared } from './shared-levels';
import { PolicyError } from './validate-policy';

const level: Level<unknown> = { level: 'user', limit: 3, windowMs: 1_000 };
const punishment = { warnAt: 3, banAt: 5, banMs: 60_000 };
const anything = z.unknown();
const good: Policy<unknown> = { name: 'test', levels: [level], message: { en: 'Too many.' } };

test('a valid policy is accepted with its defaults', () => {
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

const free = () => 'free' as const;
const planned = (limit: Level<unknown>['limit'], windowMs: Level<unknown>['windowMs'] = 1_000) => ({
  ...good,
  levels: [{ ...level, limit, windowMs }],
});

const running = (fields: Partial<InFlightLevel<unknown>>): Policy<unknown> => ({
  ...good,
  levels: [{ level: 'user', concurrent: 2, leaseMs: 30_000, ...fields }],
});

const mistakes: [mistake: string, policy: Policy<unknown>, field: string][] = [
  ['no plan', planned(byPlan({}, free as never)), 'levels[0].limit is {}'],
  ['a plan without units', planned(byPlan({ free: 5, vip: 0 }, free)), 'levels[0].limit.vip is 0'],
  ['half a unit for a plan', planned(byPlan({ free: 0.5 }, free)), 'levels[0].limit.free is 0.5'],
  ['a text for a plan', planned(byPlan({ free: '5' as never }, free)), 'levels[0].limit.free is "5"'],
  [
    'a window of a plan beyond a year',
    planned(5, byPlan({ free: 1e12 }, free)),
    'levels[0].windowMs.free is',
  ],
  [
    'a cost above the limit of a plan',
    { ...planned(byPlan({ free: 5, trial: 1 }, free)), cost: 2 },
    'cost is 2. Use a whole number from 1 to levels[0].limit.trial, which is 1. A plan with a smaller limit needs its own policy.',
  ],
  [
    'a bucket of a plan beyond exact numbers',
    {
      ...good,
      levels: [
        {
          ...level,
          algorithm: 'token-bucket',
          limit: byPlan({ free: 5, vip: 1_000_000 }, free),
          windowMs: byPlan({ free: 1_000, vip: 30_000_000_000 }, free),
        },
      ],
    },
    'levels[0].limit.vip is 1000000',
  ],
  ['a plan that is a number', planned(byPlan({ free: 5, 7: 1 }, free)), 'levels[0].limit.7 is "7"'],
  ['plans without `byPlan`', planned({ free: 5 } as never), 'levels[0].limit is {"free":5}'],
  [
    'plans of a window that all callers share',
    { ...good, levels: [{ level: 'global', limit: byPlan({ free: 5 }, free), windowMs: 1_000 }] },
    'levels[0].limit is "byPlan"',
  ],
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
    'a built-in level with `by`',
    { ...good, levels: [{ ...level, by: () => 'x' }] },
    'levels[0].by is a function',
  ],
  [
    'a condition that is no function',
    { ...good, levels: [{ ...level, when: true as never }] },
    'levels[0].when is true',
  ],
  [
    'a condition on the only level of a policy with a requestId',
    { ...good, levels: [{ ...level, when: () => true }], requestId: () => 'id' },
    'levels[0].when is a function',
  ],
  ['no text for the refused', { ...good, message: { en: ' ' } }, 'message.en is " "'],
  ['a text that is a number', { ...good, message: { en: 5 as never } }, 'message.en is 5'],
  ['an empty text in one language', { ...good, message: { en: 'Too many.', zh: '' } }, 'message.zh is ""'],
  [
    'an empty text of a level',
    { ...good, levels: [{ ...level, message: { en: '' } }] },
    'levels[0].message.en is ""',
  ],
  [
    'a level text without a language',
    { ...good, levels: [{ ...level, message: 'No' as never }] },
    'levels[0].message is "No"',
  ],
  ['a name that is a number', { ...good, name: 5 as never }, 'name is 5'],
  [
    'a level that is named by a number',
    { ...good, levels: [{ ...level, level: 5 as never }] },
    'levels[0].level is 5',
  ],
  ['a cost by call above the limit', { ...good, cost: () => 1, maxCost: 4 }, 'maxCost is 4'],
  ['a cost by call of half a unit', { ...good, cost: () => 1, maxCost: 1.5 }, 'maxCost is 1.5'],
  ['a cost by call without its greatest', { ...good, cost: () => 1 }, 'maxCost is undefined. Declare'],
  ['a greatest cost of one cost', { ...good, cost: 2, maxCost: 3 }, 'maxCost is 3. Omit it'],
  ['a cost of null', { ...good, cost: null as never }, 'cost is null'],
  ['a cost that is a text', { ...good, cost: '1' as never }, 'cost is "1"'],
  ['an onStoreError of null', { ...good, onStoreError: null as never }, 'onStoreError is null'],
  [
    'an ifMissing by a number',
    { ...good, levels: [{ ...level, ifMissing: { subject: 5 as never } }] },
    'levels[0].ifMissing is {"subject":5}',
  ],
  [
    'an unknown field of ifMissing',
    { ...good, levels: [{ ...level, ifMissing: { subject: 'jobs', as: 'x' } as never }] },
    'levels[0].ifMissing is {"subject":"jobs","as":"x"}',
  ],
  ['a name with a separator', { ...good, name: 'a:b' }, 'name is "a:b"'],
  [
    'an unknown algorithm',
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
    'a punishment of all callers',
    { ...good, levels: [{ ...level, level: 'global', punishment }] },
    'levels[0].punishment is {"lapseMs":3600000,"warnAt":3,"banAt":5,"banMs":60000}. "global" counts everybody',
  ],
  [
    'a punishment of a level of its own name that counts all callers',
    { ...good, levels: [{ ...level, level: 'site', by: () => 'all', counts: 'all', punishment }] },
    'levels[0].punishment is {"lapseMs":3600000,"warnAt":3,"banAt":5,"banMs":60000}. "site" counts everybody',
  ],
  [
    'a built-in level that counts another field',
    { ...good, levels: [{ ...level, level: 'ip', counts: 'user' }] },
    'levels[0].counts is "user". "ip" has a fixed subject',
  ],
  [
    'a level that counts no field',
    { ...good, levels: [{ ...level, level: 'site', by: () => 'all', counts: '' }] },
    'levels[0].counts is "". Use the name of a field',
  ],
  [
    'a punishment by an address from the input',
    { ...good, levels: [{ ...level, level: 'email', by: keyedBy(anything, () => ''), punishment }] },
    'levels[0].punishment is {"lapseMs":3600000,"warnAt":3,"banAt":5,"banMs":60000}. "email" counts whatever',
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
  ['a name of null', { ...good, name: null as never }, 'name is null. Use letters'],
  ['a limit of null', planned(null as never), 'levels[0].limit is null. Use a whole number'],
  ['a limit of another type of number', planned(5n as never), 'levels[0].limit is 5. Use a whole number'],
  ['a window of null', planned(5, null as never), 'levels[0].windowMs is null. Use whole milliseconds'],
  [
    'null calls in flight',
    running({ concurrent: null as never }),
    'levels[0].concurrent is null. Use a whole',
  ],
  ['a lease of null', running({ leaseMs: null as never }), 'levels[0].leaseMs is null. Use whole'],
  [
    'sub-windows of null at a level without any',
    { ...good, levels: [{ ...level, subWindows: null as never }] },
    'levels[0].subWindows is null. Use a whole number from 1 to 100',
  ],
  [
    'an unknown field of plans',
    planned({ values: { free: 5 }, plan: free, first: 'free' } as never),
    'levels[0].limit.first is "free". This is not a field of byPlan. Use values, plan.',
  ],
  [
    'an unknown field of a subject from the input',
    {
      ...good,
      levels: [{ ...level, level: 'email', by: { ...keyedBy(anything, () => ''), as: 'x' } as never }],
    },
    'levels[0].by.as is "x". This is not a field of keyedBy. Use input, subject.',
  ],
  [
    'a subject from the input without a schema',
    { ...good, levels: [{ ...level, level: 'email', by: { input: 'email', subject: () => '' } as never }] },
    'levels[0].by is {"input":"email"}. Use a function of the context, or keyedBy',
  ],
  ['an unknown outcome', { ...good, onStoreError: 'ajar' as never }, 'onStoreError is "ajar"'],
  ['no texts', { ...good, message: undefined as never }, 'message is undefined. Give the text of a refusal'],
  ['a text without a language', { ...good, message: 'Too many.' as never }, 'message is "Too many."'],
  ['no list of levels', { ...good, levels: level as never }, 'levels is {"level":"user"'],
  ['a level that is a text', { ...good, levels: ['user' as never] }, 'levels[0] is "user"'],
  ['a request id that is a text', { ...good, requestId: 'id' as never }, 'requestId is "id"'],
  [
    'a subject that is a text',
    { ...good, levels: [{ ...level, level: 'tenant', by: 'id' as never }] },
    'levels[0].by is "id"',
  ],
  [
    'a plain schema as the subject',
    { ...good, levels: [{ ...level, level: 'email', by: anything as never }] },
    'levels[0].by is ',
  ],
  [
    'an unknown ifMissing',
    { ...good, levels: [{ ...level, ifMissing: 'ignore' as never }] },
    'levels[0].ifMissing is "ignore"',
  ],
  [
    'an ifMissing without a name',
    { ...good, levels: [{ ...level, ifMissing: { subject: '' } }] },
    'levels[0].ifMissing is {"subject":""}',
  ],
  [
    'an ifMissing that begins with the mark of such subjects',
    { ...good, levels: [{ ...level, ifMissing: { subject: '\0jobs' } }] },
    'levels[0].ifMissing is {"subject":"\\u0000jobs"}',
  ],
  [
    'an unknown field of a policy',
    { ...good, onStoreEror: 'open' } as never,
    'onStoreEror is "open". This is not a field of a policy. Use name, levels, message, onStoreError, cost, maxCost, requestId, settle, settleMs.',
  ],
  [
    'an unknown field of a level',
    { ...good, levels: [{ ...level, window: 10 } as never] },
    'levels[0].window is 10. This is not a field of a level. Use level, by, ',
  ],
  [
    'an unknown field of a punishment',
    { ...good, levels: [{ ...level, punishment: { ...punishment, banTime: 1 } as never }] },
    'levels[0].punishment.banTime is 1. This is not a field of a punishment. Use warnAt, banAt, banMs, lapseMs.',
  ],
  [
    'two shared levels, which no script call can charge together',
    {
      ...good,
      levels: [
        shared('shop', { level: 'user', limit: 3, windowMs: 1_000 }),
        shared('api', { level: 'global', limit: 9, windowMs: 1_000 }),
      ],
    },
    'levels[1].shared is "api". Keep one shared level: two are in different slots of a cluster',
  ],
  [
    'one shared name twice',
    { ...good, levels: [shared('shop', level), shared('shop', { ...level, level: 'global' })] },
    'levels[1].shared is "shop". Keep one shared level',
  ],
  [
    'a ban by a window of several policies',
    { ...good, levels: [shared('shop', { ...level, punishment })] },
    'levels[0].punishment is {"lapseMs":3600000,"warnAt":3,"banAt":5,"banMs":60000}. A ban applies to one policy',
  ],
  [
    'a shared name with a separator',
    { ...good, levels: [{ ...level, shared: 'a:b' }] },
    'levels[0].shared is "a:b". Use letters, digits and . _ - %, as in "shop".',
  ],
  [
    'a shared name that is no text',
    { ...good, levels: [{ ...level, shared: 3 as never }] },
    'levels[0].shared is 3',
  ],
  [
    'no call in flight',
    running({ concurrent: 0 }),
    'levels[0].concurrent is 0. Use a whole number from 1 to',
  ],
  ['1001 calls in flight', running({ concurrent: 1_001 }), 'levels[0].concurrent is 1001'],
  [
    'no call in flight for a plan',
    running({ concurrent: byPlan({ free: 1, off: 0 }, free) }),
    'levels[0].concurrent.off is 0',
  ],
  ['a lease of two hours', running({ leaseMs: 7_200_000 }), 'levels[0].leaseMs is 7200000. Use whole'],
  ['no lease', running({ leaseMs: undefined as never }), 'levels[0].leaseMs is undefined. Give the time'],
  ['a window of calls in flight', running({ windowMs: 1_000 as never }), 'levels[0].windowMs is 1000'],
  [
    'a limit of calls in flight',
    running({ limit: 5 as never }),
    'levels[0].limit is 5. Use concurrent alone',
  ],
  [
    'an algorithm of calls in flight',
    running({ algorithm: 'sliding-log' as never }),
    'levels[0].algorithm is "sliding-log". Remove it',
  ],
  [
    'a ban for calls in flight',
    running({ punishment: punishment as never }),
    'levels[0].punishment is {"warnAt":3,"banAt":5,"banMs":60000}. Punish at a level with a window',
  ],
  [
    'shared calls in flight',
    running({ shared: 'shop' as never }),
    'levels[0].shared is "shop". Remove it: each policy',
  ],
  [
    'a request id with calls in flight',
    { ...running({}), requestId: () => 'id' },
    'requestId is a function. A repeated call charges nothing, so it would run without a lease of levels[0]',
  ],
  [
    'calls in flight without the store',
    { ...running({}), onStoreError: 'local' },
    'onStoreError is "local". Use "closed" or "open": a node alone cannot count',
  ],
  [
    'a lease of a window',
    { ...good, levels: [{ ...level, leaseMs: 1_000 as never }] },
    'levels[0].leaseMs is 1000. Give concurrent too',
  ],
  [
    'an algorithm without its fields',
    { ...good, levels: [{ ...level, algorithm: 'in-flight' as never }] },
    'levels[0].algorithm is "in-flight". Give concurrent and leaseMs',
  ],
];

test.each(mistakes)('%s: the error names policy, field, value and fix', (_mistake, policy, field) => {
  expect(() => resolvePolicy(policy, 'path')).toThrow(PolicyError);
  expect(() => resolvePolicy(policy, 'path')).toThrow(`Policy "${policy.name}": ${field}`);
});

test('the plan of a level is a key of its numbers, and the first one is the declared limit', () => {
  type Shopper = { user: { plan: 'free' | 'vip' } };
  const policy = {
    ...good,
    levels: [
      {
        level: 'user',
        limit: byPlan({ free: 5, vip: 20 }, ({ context }) => context.user.plan),
        windowMs: byPlan({ free: 60_000, vip: 1_000 }, ({ context }) => context.user.plan),
      },
    ],
  } satisfies Policy<Shopper>;
  expect(resolvePolicy<Shopper>(policy, 'path').levels[0]).toMatchObject({ limit: 5, windowMs: 60_000 });
  // @ts-expect-error: a plan without a number
  byPlan<Shopper, { free: number }>({ free: 5 }, ({ context }) => context.user.plan);
});
