import { initTRPC } from '@trpc/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ProcedureError, policiesOf } from './policies-of';
import { type Policy, resolvePolicy } from './policy';
import { type RateLimitContext, rateLimit, unlimited } from './trpc';

const t = initTRPC.context<RateLimitContext>().create();
const message = { en: 'Too many.' };
const tight: Policy<RateLimitContext> = { levels: [{ level: 'ip', limit: 1, windowMs: 1_000 }], message };
const wide: Policy<RateLimitContext> = { levels: [{ level: 'ip', limit: 9, windowMs: 1_000 }], message };
const limited = (policy: Policy<RateLimitContext>) =>
  t.procedure.use(rateLimit<RateLimitContext>(policy)).query(() => 'ok');

test('a policy that two procedures share is found once, an unnamed one under its path', () => {
  const shared = { ...tight, name: 'shared' };
  const router = t.router({
    one: limited(shared),
    other: limited(shared),
    alone: limited(wide),
    free: t.procedure.use(unlimited).query(() => 'ok'),
  });
  expect(policiesOf(router)).toMatchObject([
    { name: 'shared', cost: 1, levels: [{ limit: 1, mode: 'enforce' }] },
    { name: 'alone', levels: [{ limit: 9 }] },
  ]);
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
    /^Procedure "shop\.early": \.input\(\) stands before \.use\(rateLimit\(…\)\).*Put \.use\(rateLimit\(…\)\) first\.$/,
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
