import { initTRPC } from '@trpc/server';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { describeStores } from '../../../test/limiter-stores';
import { freshPrefix } from '../../../test/redis';
import { rateLimit as limitFetch } from '../adapters/fetch';
import { type RateLimitContext, rateLimit } from '../adapters/trpc';
import { type CallOf, createLimiter, type Limiter } from '../limiter';
import { InvalidCostError } from './cost';
import { definePolicy, resolveNamedPolicy } from './named-policy';
import type { Policy } from './policy';
import { resolvePolicy } from './resolve-policy';

describeStores((current) => {
  let limiter: Limiter;
  let warnings: string[];
  const clock = { now: 1_795_226_300_000 };
  beforeEach(() => {
    warnings = [];
    limiter = createLimiter({
      ...{
        store: current.store,
        secret: 'a secret of at least 32 characters',
        prefix: freshPrefix(),
        clock: () => clock.now,
      },
      onWarning: (warning) => warnings.push(warning),
    });
  });

  const exportInput = z.object({ rows: z.number() });
  const exportPolicy: Policy<RateLimitContext> = {
    name: 'export',
    levels: [
      { level: 'user', limit: 10, windowMs: 1_000 },
      { level: 'global', limit: 12, windowMs: 1_000 },
    ],
    cost({ input }) {
      const { data } = exportInput.safeParse(input);
      return data?.rows ?? 5;
    },
    maxCost: 5,
    message: { en: 'Too many rows.' },
  };
  const policy = resolvePolicy(exportPolicy, 'export');

  const t = initTRPC.context<RateLimitContext>().create();
  const router = t.router({
    export: t.procedure
      .use(rateLimit(exportPolicy))
      .input(exportInput)
      .query(({ input }) => input.rows),
  });
  const exportAs = (user: string, rows: unknown) =>
    t
      .createCallerFactory(router)({
        rateLimit: { limiter, caller: { user }, language: 'en', decisions: [] },
      })
      .export({ rows: rows as number });

  const usedBy = async (user: string) =>
    (await limiter.peek(policy, { user })).windows.map(({ used }) => used);

  test('each call charges its own cost on every level', async () => {
    await exportAs('ada', 2);
    await exportAs('ada', 5);
    expect(await usedBy('ada')).toEqual([7, 7]);
    await exportAs('bob', 4);
    expect(await usedBy('bob')).toEqual([4, 11]);
  });

  test('a call that the limit has no room for is refused, and a cheaper one is admitted', async () => {
    await Promise.all([exportAs('ada', 4), exportAs('ada', 4)]);
    await expect(exportAs('ada', 3)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    await expect(exportAs('ada', 2)).resolves.toBe(2);
  });

  test('calls of different costs share a batch', async () => {
    await Promise.all([1, 2, 3].map((rows) => exportAs('ada', rows)));
    expect(await usedBy('ada')).toEqual([6, 6]);
  });

  test.each([0, -1, 1.5, 6, Number.NaN])(
    'a cost of %d is an error that names the policy, and charges nothing',
    async (rows) => {
      await expect(limiter.decide(policy, { subjects: { user: 'ada' }, cost: rows })).rejects.toThrow(
        InvalidCostError,
      );
      await expect(limiter.decide(policy, { subjects: { user: 'ada' }, cost: rows })).rejects.toThrow(
        `Policy "export": the cost of this call is ${rows}. Return a whole number from 1 to maxCost, which is 5.`,
      );
      expect(await usedBy('ada')).toEqual([0, 0]);
    },
  );

  test('a wrong cost of a procedure is a failure of the server, not of the caller', async () => {
    await expect(exportAs('ada', 6)).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR' });
  });

  test('a call whose input cannot be read has the cost that the function returns for it', async () => {
    await expect(exportAs('ada', 'many')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expect(await usedBy('ada')).toEqual([5, 5]);
  });

  test('without a cost, a call charges the greatest', async () => {
    await limiter.decide(policy, { subjects: { user: 'ada' } });
    expect(await usedBy('ada')).toEqual([5, 5]);
  });

  test('an override below the greatest cost is ignored and reported', () => {
    limiter.setOverrides([{ policy: 'export', level: 'user', limit: 4, version: 1 }]);
    expect(limiter.effectivePolicy(policy).levels[0]).toMatchObject({ limit: 10 });
    expect(warnings).toEqual([expect.stringContaining('A call costs 5')]);
  });

  test('a cached denial of one cost refuses no cheaper call', async () => {
    const decide = (cost: number) => limiter.decide(policy, { subjects: { user: 'ada' }, cost });
    await decide(5);
    await decide(3);
    expect(await decide(5)).toMatchObject({ allowed: false, refusedBy: { level: 'user' } });
    expect(limiter.cachedRefusal(policy, { subjects: { user: 'ada' }, cost: 5 })).toBeDefined();
    expect(limiter.cachedRefusal(policy, { subjects: { user: 'ada' }, cost: 2 })).toBeUndefined();
    expect(await decide(2)).toMatchObject({ allowed: true });
    expect(await decide(1)).toMatchObject({ allowed: false, refusedBy: { retryAfterMs: 1_000 } });
  });

  describe('a policy with a maxCost alone', () => {
    const stated = definePolicy({
      name: 'stated',
      levels: [
        { level: 'user', limit: 10, windowMs: 1_000 },
        { level: 'global', limit: 12, windowMs: 1_000 },
      ],
      maxCost: 5,
    });
    const usedOf = async (user: string) =>
      (await limiter.peek(stated, { user })).windows.map(({ used }) => used);

    test('charges the cost that each call states', async () => {
      await Promise.all([1, 2, 5].map((cost) => limiter.check(stated, { user: 'ada', cost })));
      expect(await usedOf('ada')).toEqual([8, 8]);
      expect(await limiter.check(stated, { user: 'ada', cost: 3 })).toMatchObject({ allowed: false });
    });

    test.each([undefined, 0, 6, 1.5])('refuses a call that states the cost %j', async (cost) => {
      const error = `the cost of this call is ${cost}. State it in the call, { …, cost }: a whole number from 1 to maxCost, which is 5.`;
      await expect(limiter.check(stated, { user: 'ada', cost: cost as number })).rejects.toThrow(error);
      await expect(
        limiter.decide(resolveNamedPolicy(stated), { subjects: { user: 'ada' }, cost }),
      ).rejects.toThrow(error);
      expect(await usedOf('ada')).toEqual([0, 0]);
    });

    test('requires the cost in the type of a call, and of the subjects of an adapter', async () => {
      // @ts-expect-error the cost is missing.
      const call: CallOf<typeof stated> = { user: 'ada' };
      await expect(limiter.check(stated, call)).rejects.toThrow(InvalidCostError);
      const handle = limitFetch({ limiter, policy: stated, subjects: () => ({ user: 'ada', cost: 4 }) });
      await handle(() => new Response('Hello.'))(new Request('http://localhost/'));
      expect(await usedOf('ada')).toEqual([4, 4]);
    });

    test('is refused by tRPC, whose calls cannot state it', () => {
      const { levels, maxCost } = stated;
      expect(() => rateLimit({ name: 'stated', levels, maxCost, message: { en: 'Too many.' } })).toThrow(
        'maxCost is 5. Give a function as `cost`',
      );
    });
  });
});
