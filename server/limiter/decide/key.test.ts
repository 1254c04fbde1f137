import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property';
import type { Algorithm } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { shared } from '../policy/shared-levels';
import { type CallKeys, createKeys } from './key';

const options = { prefix: 'p:', secret: 'secret' };
const keys = createKeys(options);
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

test('all keys of one call have one hash tag', () => {
  const call = keys.of(double, ['ada', '']);
  expect(new Set([call.level(0), call.level(1), call.request({ id: 'id' })].map(tagOf))).toEqual(
    new Set(['{seckill}']),
  );
});

test('all keys of the policies of a shared level have one hash tag, and only its window is common', () => {
  const level = shared('shop', { level: 'global', ...window });
  const [browse, buy] = ['browse', 'buy'].map((name) =>
    resolvePolicy({ name, levels: [{ level: 'user', ...window }, level], message }, ''),
  );
  const alone = resolvePolicy({ name: 'shop', levels: [level], message }, '');
  const calls = [browse, buy, alone].flatMap((policy) => (policy ? [keys.of(policy, ['ada', ''])] : []));
  const all = calls.flatMap((call) => [
    call.level(0),
    call.violations(0),
    call.bans(),
    call.request({ id: 'id' }),
  ]);
  expect(new Set(all.map(tagOf))).toEqual(new Set(['{@shop}']));
  expect(new Set(all).size).toBe(all.length);
  expect([calls[0]?.level(1), calls[1]?.level(1), calls[2]?.level(0)]).toEqual(
    Array(3).fill('p:{@shop}:global:all'),
  );
  expect(calls[0]?.level(0)).toMatch(/^p:\{@shop\}:browse:user:/);
});

test('a policy with one level has its subjects on several slots', () => {
  expect(tagOf(keys.of(single, ['ada']).level(0))).not.toBe(tagOf(keys.of(single, ['bob']).level(0)));
});

test('all callers share the key of the global level, and no two users share a key', () => {
  const [ada, bob] = [keys.of(double, ['ada', '']), keys.of(double, ['bob', ''])];
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
  expect(keys.of(single, [one]).level(0)).not.toBe(keys.of(single, [other]).level(0));
});

test('no level shares a key with another kind of key, whatever its name', () => {
  const names = ['request', 'violations', 'bans', 'id'];
  const levels = names.map((level) => ({ level, by: () => 'ada', ...window }));
  const call = keys.of(resolvePolicy({ levels, message }, 'view'), Array(4).fill('ada'));
  const all = names.flatMap((_name, index) => [call.level(index), call.violations(index)]);
  expect(new Set([...all, call.bans(), call.request({ id: 'ada' })]).size).toBe(all.length + 2);
});

/** Names that resemble parts of keys. */
const levelNames = ['a', 'b', 'a-b', 'id', 'request', 'violations', 'bans', 'all', 'fixed-window'];
const policyNames = [...levelNames, 'A', 'a.b', '3', 'a-3', 'a.fixed-window'];
/** Subjects with separators of keys, and any UTF-16 code units, also halves of surrogate pairs. */
const subjects = fc
  .array(
    fc.oneof(
      fc.constantFrom(':', '{', '}', '#', 'a', 'A', ' '),
      fc.integer({ min: 0, max: 0xff_ff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 4 },
  )
  .map((units) => units.join(''));
const algorithms = fc.constantFrom(
  'sliding-log' as const,
  'sliding-counter' as const,
  'fixed-window' as const,
  'token-bucket' as const,
  'leaky-bucket' as const,
);
const declared = fc.record({
  name: fc.constantFrom(...policyNames),
  /** The name of the shared level, which is the first, and the same in all policies of the name. */
  sharedName: fc.constantFrom(undefined, undefined, ...policyNames),
  levels: fc.uniqueArray(fc.record({ level: fc.constantFrom(...levelNames), algorithm: algorithms }), {
    selector: ({ level }) => level,
    minLength: 1,
    maxLength: 3,
  }),
});

interface Declared {
  name: string;
  sharedName: string | undefined;
  levels: { level: string; algorithm: Algorithm }[];
}

/** Lists the keys of a call, each with its meaning. */
function keysOfCall(
  { name, sharedName, levels }: Declared,
  subject: string,
): [key: string, meaning: string][] {
  const policy = resolvePolicy(
    {
      name,
      levels: levels.map((level, index) => {
        const declared = { ...level, by: () => subject, limit: 1, windowMs: 1_000 };
        return index === 0 && sharedName !== undefined ? shared(sharedName, declared) : declared;
      }),
      message,
    },
    '',
  );
  // Other keys, because one limiter refuses a shared level with two subjects.
  const call = createKeys(options).of(policy, Array(levels.length).fill(subject));
  // The name of the policy may stand under several hash tags.
  const scope = JSON.stringify([sharedName ?? null, name]);
  const windowOf = (index: number) => (index === 0 && sharedName !== undefined ? `@${sharedName}` : scope);
  return [
    ...levels.flatMap(({ level, algorithm }, index): [string, string][] => [
      [call.level(index), JSON.stringify(['window', windowOf(index), level, algorithm, subject])],
      [call.violations(index), JSON.stringify(['violations', scope, level, subject])],
    ]),
    // Callers share the key of the bans, which holds a member for each of them.
    [call.bans(), JSON.stringify(['bans', scope])],
    [call.request({ id: subject }), JSON.stringify(['request', scope, subject])],
  ];
}

test('two keys are equal only if policy, level, subject and kind are', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(declared, subjects), { minLength: 2, maxLength: 4 }), (calls) => {
      const meanings = new Map<string, Set<string>>();
      for (const [key, meaning] of calls.flatMap(([policy, subject]) => keysOfCall(policy, subject)))
        meanings.set(key, (meanings.get(key) ?? new Set()).add(meaning));
      expect([...meanings].filter(([, ofKey]) => ofKey.size > 1)).toEqual([]);
    }),
    propertyRuns(3_000),
  );
});

test('two inputs of one request id have different fingerprints, and neither has that of no input', () => {
  const call = keys.of(double, ['ada', '']);
  const inputs = [undefined, '', 'a', 'b', ...Array.from({ length: 100 }, (_, n) => `coupon-${n}`)];
  const fingerprints = inputs.map((input) => call.requestInput({ id: 'id', input }));
  expect(new Set(fingerprints).size).toBe(inputs.length);
  expect(fingerprints.every((one) => Number.isSafeInteger(one) && one >= 1)).toBe(true);
});

test('a key does not contain its subject, and another secret makes another key', () => {
  const key = keys.of(single, ['ada@example.com']).level(0);
  expect(key).not.toContain('ada');
  const ofAnother = createKeys({ ...options, secret: 'other' });
  expect(ofAnother.of(single, ['ada@example.com']).level(0)).not.toBe(key);
});

test.each([
  ['one level', single, ['ada@example.com']],
  ['two levels', double, ['ada@example.com', '']],
  ['a subject that is too long to remember', single, ['a'.repeat(1_000)]],
])(
  'keys are the same of a call that comes again, on another node, and by the name alone: %s',
  (_what, policy, subjects) => {
    const all = (call: CallKeys) => [
      ...policy.levels.flatMap((_level, index) => [
        call.pseudonym(index),
        call.level(index),
        call.violations(index),
      ]),
      call.bans(),
    ];
    const first = keys.of(policy, subjects);
    expect(all(keys.of(policy, subjects))).toEqual(all(first));
    expect(all(createKeys(options).of(policy, subjects))).toEqual(all(first));
    expect(all(keys.ofPseudonym(policy, first.pseudonym(0)))).toEqual(all(first));
  },
);

test('the keys are the same as in other versions', () => {
  const levels = [
    { level: 'user' as const, algorithm: 'token-bucket' as const, ...window },
    { level: 'global' as const, ...window },
  ];
  const call = keys.of(resolvePolicy({ name: 'seckill', levels, message }, ''), ['ada@example.com', '']);
  expect([call.level(0), call.level(1), call.violations(0), call.bans(), call.request({ id: 'id' })]).toEqual(
    [
      'p:{seckill}:user.token-bucket:slcIFWa0Ea82raxJNpnDQL',
      'p:{seckill}:global:all',
      'p:{seckill}:violations:user:slcIFWa0Ea82raxJNpnDQL',
      'p:{seckill}:bans',
      'p:{seckill}#QEDMSjbff-MZo3yy',
    ],
  );
  expect(call.requestInput({ id: 'id', input: 'coupon' })).toBe(66_965_500_957_327);
  expect(call.banMember(0)).toBe('user:slcIFWa0Ea82raxJNpnDQL:ada…om');
  expect(keys.of(single, ['ada@example.com']).level(0)).toBe('p:{claim:3}:user:slcIFWa0Ea82raxJNpnDQL');
});
