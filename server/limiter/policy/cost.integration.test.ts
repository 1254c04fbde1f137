import { initTRPC } from '@trpc/server';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { describeStores } from '../../../test/limiter-stores';
import { freshPrefix } from '../../../test/redis';
import { type RateLimitContext, rateLimit } from '../adapters/trpc';
import { createLimiter, type Limiter } from '../limiter';
import { InvalidCostError } from './cost';
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
});
