import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullestWindow } from '../../../drills/window-log';
import { describeStores } from '../../../test/limiter-stores';
import { propertyRuns } from '../../../test/property';
import { freshPrefix } from '../../../test/redis';
import { createLimiter } from '../limiter';
import { definePolicy } from '../policy/named-policy';
import { ALGORITHMS } from '../policy/policy';

const runs = fc.record({
  algorithm: fc.constantFrom(...ALGORITHMS),
  limit: fc.integer({ min: 2, max: 6 }),
  windowMs: fc.integer({ min: 60, max: 150 }),
  costs: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 6, maxLength: 14 }),
});

const secret = 'a secret of at least 32 characters';

describeStores((current) => {
  test('calls of two processes start in the order of each, and no window holds more than its bound', async () => {
    const property = fc.asyncProperty(runs, async ({ algorithm, limit, windowMs, costs }) => {
      const prefix = freshPrefix();
      const policy = definePolicy({
        name: 'api',
        levels: [
          {
            level: 'global',
            algorithm,
            limit,
            windowMs,
            ...(algorithm === 'sliding-counter' && { subWindows: 6 }),
          },
        ],
        maxCost: 2,
      });
      const starts = await Promise.all(
        [1, 2].map(async () => {
          const limiter = createLimiter({ store: current.store, secret, prefix, timeoutMs: 5_000 });
          const order: number[] = [];
          const calls = costs.map(async (cost, index) => {
            const { now, delayMs } = await limiter.wait(policy, { cost });
            order.push(index);
            return [now + delayMs, cost] as const;
          });
          const started = await Promise.all(calls);
          expect(order).toEqual(costs.map((_cost, index) => index));
          return started;
        }),
      );
      for (const own of starts)
        expect(own.map(([at]) => at)).toEqual(own.map(([at]) => at).toSorted((a, b) => a - b));
      const bounds = { 'fixed-window': 2 * limit, 'token-bucket': 2 * limit, 'leaky-bucket': limit + 1 };
      const bound = algorithm in bounds ? bounds[algorithm as keyof typeof bounds] : limit;
      expect(fullestWindow(starts.flat(), { windowMs })).toBeLessThanOrEqual(bound);
    });
    await fc.assert(property, propertyRuns(Math.ceil(current.cases / 20), { short: 3 }));
  });

  test('a call that a leaky bucket would start too late is not charged', async () => {
    const limiter = createLimiter({ store: current.store, secret, prefix: freshPrefix(), timeoutMs: 5_000 });
    const policy = definePolicy({
      name: 'api',
      levels: [{ level: 'global', algorithm: 'leaky-bucket', limit: 10, windowMs: 60_000 }],
    });
    await limiter.check(policy, {});
    await limiter.check(policy, {});
    const late = limiter.wait(policy, {}, { maxWaitMs: 11_000 });
    await expect(late).rejects.toMatchObject({ code: 'WAIT_TOO_LONG', retryAfterMs: expect.any(Number) });
    expect((await limiter.peek(policy, {})).windows).toMatchObject([{ used: 2 }]);
  });

  test.each([
    ['leaky-bucket', 1],
    ['token-bucket', 5],
    ['sliding-log', 5],
  ] as const)('all calls that an empty %s has room for start without a wait', async (algorithm, count) => {
    const limiter = createLimiter({ store: current.store, secret, prefix: freshPrefix(), timeoutMs: 5_000 });
    const policy = definePolicy({
      name: 'api',
      levels: [{ level: 'global', algorithm, limit: 5, windowMs: 60_000 }],
    });
    const wait = () => limiter.wait(policy, {}, { maxWaitMs: 0 });
    const calls = await Promise.allSettled(Array.from({ length: 12 }, wait));
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(count);
  });
});
