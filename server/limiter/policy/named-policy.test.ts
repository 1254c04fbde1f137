import { initTRPC } from '@trpc/server';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { downStore } from '../../../test/store-commands';
import {
  createTrpcLimits,
  type Policy,
  policiesOf,
  type RateLimitContext,
  rateLimit,
} from '../adapters/trpc';
import { createLimiter, type Limiter } from '../limiter';
import { memoryStore } from '../stores/memory-store';
import { definePolicy, type NamedPolicy, resolveNamedPolicy, type SubjectsOf } from './named-policy';
import type { Subject } from './policy';
import { shared } from './shared-levels';
import { PolicyError } from './validate-policy';

/** A subject that a call must have. */
type Given = string | number | bigint;

const window = { limit: 5, windowMs: 1_000 };

describe('the type of a policy states the subjects of its calls', () => {
  const mixed = definePolicy({
    name: 'mixed',
    levels: [
      { level: 'user', ...window },
      { level: 'email', ...window },
      { level: 'ip', ifMissing: 'skip', ...window },
      { level: 'global', ...window },
    ],
  });

  test('a level requires its subject, ifMissing makes it optional, global has none', () => {
    expectTypeOf<SubjectsOf<typeof mixed>>().toEqualTypeOf<
      { readonly user: Given; readonly email: Given } & { readonly ip?: Subject }
    >();
  });

  test('a call without a required subject does not compile', () => {
    const check: Limiter['check'] = async () => Promise.reject(new Error('not called'));
    const calls = () => [
      check(mixed, { user: 'u', email: 'e' }),
      // @ts-expect-error `email` is missing.
      check(mixed, { user: 'u' }),
      // @ts-expect-error `mail` is no level.
      check(mixed, { user: 'u', email: 'e', mail: 'e' }),
      check({ name: 'inline', levels: [{ level: 'user', ...window }] }, { user: 'u' }),
      // @ts-expect-error `user` is missing.
      check({ name: 'inline', levels: [{ level: 'user', ...window }] }, {}),
      check({ name: 'all', levels: [{ level: 'global', ...window }] }, {}),
    ];
    expect(calls).toBeTypeOf('function');
  });

  test('a shared level requires its subject like any other', () => {
    const api = shared('api', { level: 'tenant', ...window });
    const policy = definePolicy({ name: 'shared', levels: [{ level: 'user', ...window }, api] });
    expectTypeOf<SubjectsOf<typeof policy>>().toEqualTypeOf<
      { readonly user: Given; readonly tenant: Given } & Record<never, never>
    >();
    expect(resolveNamedPolicy(policy).levels[1]?.shared).toBe('api');
  });

  test('a policy of a wide type accepts every subject', () => {
    expectTypeOf<SubjectsOf<NamedPolicy>>().toEqualTypeOf<Readonly<Record<string, Subject>>>();
  });
});

test('a level counts by the value of its name, and a policy is resolved once', () => {
  const policy = definePolicy({ name: 'mail', levels: [{ level: 'email', ...window }] });
  const resolved = resolveNamedPolicy(policy);
  expect(resolveNamedPolicy(policy)).toBe(resolved);
  const [level] = resolved.levels;
  const by = level?.by;
  expect(typeof by === 'function' && by({ email: 'ada@example.com' })).toBe('ada@example.com');
  expect(typeof by === 'function' && by({})).toBeUndefined();
});

test('a policy without a message has an English one', () => {
  const policy = definePolicy({ name: 'quiet', levels: [{ level: 'ip', ...window }] });
  expect(resolveNamedPolicy(policy).message.en).toBe('Too many requests. Try again later.');
});

test('the windows of a tRPC policy are read and emptied by its value and by that of policiesOf', async () => {
  interface Context extends RateLimitContext {
    tenant: string;
  }
  const policy: Policy<Context> = {
    name: 'report',
    levels: [{ level: 'tenant', by: ({ tenant }) => tenant, ...window }],
    message: { en: 'Wait.' },
  };
  const limiter = createLimiter({ store: memoryStore(), secret: 'for tests: 32 characters or more' });
  const { contextOf, errorFormatter } = createTrpcLimits({ limiter });
  const t = initTRPC.context<Context>().create({ errorFormatter });
  const router = t.router({ report: t.procedure.use(rateLimit(policy)).query(() => 'rows') });
  await t
    .createCallerFactory(router)({ ...contextOf({}), tenant: 'acme' })
    .report();

  const [resolved] = policiesOf(router);
  if (!resolved) throw new TypeError('the router has a policy');
  for (const readable of [policy, resolved]) {
    expect((await limiter.peek(readable, { tenant: 'acme' })).windows).toMatchObject([{ used: 1 }]);
    expect(await limiter.bans.count(readable)).toBe(0);
  }
  await limiter.clear(resolved, { level: 'tenant', subject: 'acme' });
  expect((await limiter.peek(policy, { tenant: 'acme' })).windows).toMatchObject([{ used: 0 }]);
  const { name: _name, ...nameless } = policy;
  await expect(limiter.peek(nameless, { tenant: 'acme' })).rejects.toThrow(PolicyError);
});

test('a mistake in a policy is thrown where the policy is defined', () => {
  const define = (level: string, limit: number) => () =>
    definePolicy({ name: 'wrong', levels: [{ level, limit, windowMs: 1_000 }] });
  expect(define('ip', 0)).toThrow(PolicyError);
  expect(define('cost', 1)).toThrow('Use another name');
});

test('several policies charge a shared level with a name of its own, also one that each declares', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const limiter = createLimiter({ store: memoryStore(), secret: 'for tests: 32 characters or more' });
  const declare = <const Name extends string>(name: Name) =>
    definePolicy({ name, levels: [shared('api', { level: 'tenant', ...window })] });
  const api = shared('common', { level: 'tenant', ...window });
  for (const used of [1, 2, 3]) {
    expect(await limiter.check(declare(`policy-${used}`), { tenant: 'acme' })).toMatchObject({
      levels: [{ level: 'tenant', used }],
    });
    const common = definePolicy({ name: `common-${used}`, levels: [api] });
    expect(await limiter.check(common, { tenant: 'acme' })).toMatchObject({ levels: [{ used }] });
  }
  vi.unstubAllEnvs();
});

test('a policy without a name is an error', () => {
  const nameless = () => definePolicy({ levels: [{ level: 'ip', ...window }] } as never);
  expect(nameless).toThrow(PolicyError);
  expect(nameless).toThrow(
    'Policy without a name: name is undefined. Use letters, digits and . _ - %, as in',
  );
  const empty = () => definePolicy({ name: '', levels: [{ level: 'ip', ...window }] });
  expect(empty).toThrow('Policy without a name: name is "". Use letters');
});

test('a short secret stops the start', () => {
  expect(() => createLimiter({ store: downStore(), secret: 'short' })).toThrow(
    /at least 32 random characters/,
  );
});

describe('the name of a level', () => {
  test.each(['cost', 'input', 'requestId', 'timeoutMs'])(
    'is not %s, which is an option of a call',
    (level) => {
      expect(() => definePolicy({ name: 'reserved', levels: [{ level, ...window }] })).toThrow(
        `level is "${level}". Use another name`,
      );
    },
  );

  test.each(['ApiKey', 'api_key', 'api key', 'a1', ''])('is not %j', (level) => {
    expect(() => definePolicy({ name: 'wrong', levels: [{ level, ...window }] })).toThrow(
      'Use letters, "+" and "-", the first in lower case',
    );
  });
});

describe('a window below a second that looks like seconds', () => {
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const warningsOf = async (windowMs: number, options: object = {}) => {
    warnings.length = 0;
    const limiter = createLimiter({
      ...{ store: memoryStore(), secret: 'a secret of at least 32 characters', onWarning, ...options },
    });
    const level = { limit: 9, windowMs };
    const policy = definePolicy({
      name: 'api',
      levels: [
        { level: 'user', ...level },
        { level: 'global', ...level },
      ],
    });
    for (const user of ['ada', 'bob']) await limiter.check(policy, { user });
    return warnings;
  };

  test.each([1, 30, 60, 120, 300, 900])('is one warning for its policy: %d', async (windowMs) => {
    expect(await warningsOf(windowMs)).toEqual([
      `Level "api:user" has a window of ${windowMs} ms. If you mean ${windowMs} seconds, use windowMs: ${windowMs}_000.`,
    ]);
  });

  test.each([100, 250, 500, 1_000, 3_600])('is none of %d ms', async (windowMs) => {
    expect(await warningsOf(windowMs)).toEqual([]);
  });

  test('is no warning on the clock of a test', async () => {
    expect(await warningsOf(60, { clock: () => 1_795_226_300_000 })).toEqual([]);
  });
});
