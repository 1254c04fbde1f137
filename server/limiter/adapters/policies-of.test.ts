import { initTRPC, lazy } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Level, Policy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import { shared } from '../policy/shared-levels';
import { declaredPolicies, policiesOf } from './policies-of';
import { ProcedureError } from './read-router';
import { type RateLimitContext, rateLimit, unlimited } from './trpc';

const t = initTRPC.context<RateLimitContext>().create();
const message = { en: 'Too many.' };
const tight: Policy<RateLimitContext> = { levels: [{ level: 'ip', limit: 1, windowMs: 1_000 }], message };
const wide: Policy<RateLimitContext> = { levels: [{ level: 'ip', limit: 9, windowMs: 1_000 }], message };
const limited = (policy: Policy<RateLimitContext>) =>
  t.procedure.use(rateLimit<RateLimitContext>(policy)).query(() => 'ok');

test('a policy that two procedures share is found once, an unnamed one under its path', () => {
  const common = { ...tight, name: 'common' };
  const router = t.router({
    one: limited(common),
    other: limited(common),
    alone: limited(wide),
    free: t.procedure.use(unlimited).query(() => 'ok'),
  });
  expect(policiesOf(router)).toMatchObject([
    { name: 'common', cost: 1, levels: [{ limit: 1, mode: 'enforce' }] },
    { name: 'alone', levels: [{ limit: 9 }] },
  ]);
});

test('a procedure with several policies: all are found, and none may stand behind its input', () => {
  const one = { ...tight, name: 'one' };
  const other = { ...wide, name: 'other' };
  const both = t.procedure.use(rateLimit<RateLimitContext>(one)).use(rateLimit<RateLimitContext>(other));
  const router = t.router({ both: both.query(() => 'ok'), alone: limited(other) });
  expect(policiesOf(router).map(({ name }) => name)).toEqual(['one', 'other']);
  expect(declaredPolicies(router).get('both')).toEqual([one, other]);
  const early = t.procedure
    .use(rateLimit<RateLimitContext>(one))
    .input(z.object({ id: z.string() }))
    .use(rateLimit<RateLimitContext>(other))
    .query(() => 'ok');
  expect(() => policiesOf(t.router({ early }))).toThrow('.input() comes before .use(rateLimit(…))');
});

test('a limit after the one in whose queue calls wait stops the start', () => {
  const queued: Policy<RateLimitContext> = {
    name: 'queued',
    levels: [
      { level: 'ip', limit: 1, windowMs: 1_000 },
      {
        ...{ level: 'global', limit: 1, windowMs: 1_000 },
        queue: { maxLength: 1, maxWaitMs: 1_000, ticket: () => undefined },
      },
    ],
    requestId: () => 'id',
    message,
  };
  const queue = rateLimit<RateLimitContext>(queued, { onQueued: () => 'queued' });
  const other = rateLimit<RateLimitContext>({ ...tight, name: 'other' });
  const last = t.procedure.use(other).use(queue);
  const first = t.procedure.use(queue).use(other);
  expect(policiesOf(t.router({ last: last.query(() => 'ok') }))).toHaveLength(2);
  expect(() => policiesOf(t.router({ first: first.query(() => 'ok') }))).toThrow(
    'Procedure "first": a .use(rateLimit(…)) comes after the one in whose queue calls wait',
  );
});

test('two policies of a procedure without a name stop the start', () => {
  const both = t.procedure.use(rateLimit<RateLimitContext>(tight)).use(rateLimit<RateLimitContext>(wide));
  expect(() => policiesOf(t.router({ both: both.query(() => 'ok') }))).toThrow('name is "both"');
});

test('a policy without a name is one policy per procedure', () => {
  const names = policiesOf(t.router({ one: limited(tight), other: limited(tight) })).map(({ name }) => name);
  expect(names).toEqual(['one', 'other']);
});

test.each([
  ['two policies of one name', { ...tight, name: 'taken' }, { ...wide, name: 'taken' }, 'taken'],
  ['a name that is the path of another procedure', { ...tight, name: 'other' }, wide, 'other'],
])('%s stop the start', (_case, one, other, name) => {
  const router = t.router({ one: limited(one), other: limited(other) });
  expect(() => policiesOf(router)).toThrow(
    new RegExp(`^Policy "${name}": name is "${name}"\\. .*Rename one, or let both declare one policy\\.$`),
  );
});

test('a procedure that declares no limit stops the start', () => {
  const shop = t.router({
    free: t.procedure.use(unlimited).query(() => 'ok'),
    buy: t.procedure.mutation(() => 'ok'),
  });
  expect(() => policiesOf(t.router({ shop }))).toThrow(ProcedureError);
  expect(() => policiesOf(t.router({ shop }))).toThrow(
    'Procedure "shop.buy": it declares no limit. Add .use(rateLimit(policy)) or .use(unlimited).',
  );
});

test('an input that is parsed before the limit stops the start, with the name of the procedure', () => {
  const input = z.object({ id: z.string() });
  const early = t.procedure
    .input(input)
    .use(rateLimit<RateLimitContext>(tight))
    .query(() => 'ok');
  expect(() => policiesOf(t.router({ shop: t.router({ early }) }))).toThrow(
    /^Procedure "shop\.early": \.input\(\) comes before \.use\(rateLimit\(…\)\).*Put \.use\(rateLimit\(…\)\) first\.$/,
  );
  const free = t.procedure
    .input(input)
    .use(unlimited)
    .query(() => 'ok');
  const later = t.procedure
    .use(rateLimit<RateLimitContext>(tight))
    .input(input)
    .query(() => 'ok');
  expect(policiesOf(t.router({ free, later }))).toHaveLength(1);
});

test('a policy resolved twice by one name is the same object, and by another name another', () => {
  const named = { ...tight, name: 'shared' };
  expect(resolvePolicy(named, 'one')).toBe(resolvePolicy(named, 'other'));
  expect(policiesOf(t.router({ one: limited(tight) }))[0]).toBe(resolvePolicy(tight, 'one'));
  expect(resolvePolicy(tight, 'one')).not.toBe(resolvePolicy(tight, 'other'));
});

test('policies that declare a shared level with different windows stop the start', () => {
  const level: Level<RateLimitContext> = shared('shop', { level: 'global', limit: 9, windowMs: 1_000 });
  const routerOf = (other: typeof level) =>
    t.router({
      one: limited({ levels: [level], message }),
      other: limited({ ...wide, levels: [...wide.levels, other] }),
    });
  expect(policiesOf(routerOf(level))).toHaveLength(2);
  expect(policiesOf(routerOf({ ...level, when: () => true, ifMissing: 'skip' }))).toHaveLength(2);
  for (const [field, value] of Object.entries({
    limit: 8,
    windowMs: 2_000,
    algorithm: 'fixed-window',
    mode: 'shadow',
  }))
    expect(() => policiesOf(routerOf({ ...level, [field]: value }))).toThrow(
      `Policy "other": levels[1].${field} is ${JSON.stringify(value)}. It is `,
    );
  expect(() => policiesOf(routerOf({ ...level, level: 'user' }))).toThrow(
    'Policy "other": levels[1].level is "user". It is "global" in "one", and both charge one window. Declare it once: const level = shared("shop", { … }).',
  );
});

describe('routers behind lazy', () => {
  const inner = t.router({ deep: limited(wide), undeclared: t.procedure.query(() => 'ok') });
  const lazyRouter = (procedures: typeof inner | ReturnType<typeof t.router>) =>
    lazy(async () => ({ default: procedures }));
  const limitedInner = t.router({ deep: limited(wide) });
  const build = (deep: typeof inner | typeof limitedInner) =>
    t.router({
      now: limited(tight),
      shop: t.router({
        later: lazyRouter(t.router({ one: limited(tight), nested: lazyRouter(deep) })),
      }),
      other: lazyRouter(t.router({ two: limited(tight) })),
    });

  test('stop the start until they are loaded, with the path of one', () => {
    const router = build(limitedInner);
    const problem =
      'Procedure "shop.later.*": it is behind lazy(() => import(…)) and not loaded, so its limit is unknown. Use await policiesOf(router, { lazy: true }).';
    expect(() => policiesOf(router)).toThrow(problem);
    expect(() => declaredPolicies(router)).toThrow(ProcedureError);
  });

  test('are loaded on request, also inside one another', async () => {
    const router = build(limitedInner);
    const names = (await policiesOf(router, { lazy: true })).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['now', 'other.two', 'shop.later.nested.deep', 'shop.later.one']);
    expect(policiesOf(router)).toHaveLength(4);
  });

  test('are checked once they are loaded', async () => {
    const checking = policiesOf(build(inner), { lazy: true });
    await expect(checking).rejects.toThrow('Procedure "shop.later.nested.undeclared": it declares no limit.');
  });

  test('reject if one cannot be loaded', async () => {
    const missing = t.router({ shop: lazy(() => Promise.reject<typeof inner>(new Error('no such file'))) });
    await expect(policiesOf(missing, { lazy: true })).rejects.toThrow('no such file');
    expect(() => policiesOf(missing)).toThrow(ProcedureError);
  });
});

test('every path of tRPC is the name of a policy, and no two paths have one name', async () => {
  const keys = [
    ...[
      'get_user',
      'get user',
      'get%user',
      'get%0020user',
      '$get',
      '_',
      '-',
      '.',
      'a/b',
      'größe',
      '買',
      '😀',
    ],
    ...['\ud800', '\udfff', 'constructor', '{a}', 'a:b', 'a,b', '@shop', '"', '\\', '\0', '\n'],
  ];
  const router = t.router(Object.fromEntries(keys.map((key) => [key, limited(tight)])));
  const names = policiesOf(router).map(({ name }) => name);
  expect(new Set(names).size).toBe(keys.length);
  expect(names).toContain('get_user');
  expect(names).toContain('get%0020user');
  for (const name of names) expect(name).toMatch(/^[\w.%-]+$/);
  expect(policiesOf(t.router({ user: t.router({ get_user: limited(tight) }) }))[0]?.name).toBe(
    'user.get_user',
  );
});
