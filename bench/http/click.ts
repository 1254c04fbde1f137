import { createRateCounter } from '../../server/fleet/rates';
import { createSessions } from '../../server/http/session';
import { createLimiter, type Limiter, rateLimit } from '../../server/limiter';
import { createMetrics } from '../../server/observability/metrics';
import { policies } from '../../server/policies';
import { connectRedis } from '../../server/redis/client';
import type { Conditions, Context } from '../../server/trpc/context';
import { router } from '../../server/trpc/init';
import { userProcedure } from '../../server/trpc/procedures';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const SHOPPERS = 50;

/**
 * The windows of the sale's levels. `user-full`, `global-full`: that level is full after a moment and stays full.
 * `open`: both admit every call.
 */
export type Windows = 'user-full' | 'global-full' | 'open';

/**
 * One procedure, limited as the sale is but by other windows, with what every server before it needs: its limiter, and
 * 50 shoppers who are signed in.
 */
export async function createClick({
  redisUrl,
  name,
  windows,
}: {
  redisUrl: string;
  /** Of the server: each has windows of its own. */
  name: string;
  windows: Windows;
}) {
  const redis = await connectRedis([redisUrl], () => undefined);
  const metrics = createMetrics();
  const rates = createRateCounter({ redis, node: 'bench' });
  const limiter: Limiter = createLimiter({
    redis,
    secret: 'bench',
    prefix: `${name}:${windows}:`,
    onDecision(outcome) {
      metrics.observeDecision(outcome);
      metrics.setBreakerOpen(limiter.breakerState() !== 'closed');
      rates.count(outcome);
    },
  });
  const sessions = createSessions({ secrets: ['only-for-a-bench-only-for-a-bench'], secure: false });
  const limited = rateLimit<Context>({
    ...policies.seckill,
    levels: policies.seckill.levels.map((level) => ({
      ...level,
      ...(windows === `${level.level}-full` ? { windowMs: HOUR } : { limit: 1_000_000, windowMs: SECOND }),
    })),
  });
  const shoppers = Array.from(
    { length: SHOPPERS },
    (_, place) => `00000000-0000-4000-8000-${1000 + place}00000000`,
  );
  return {
    limiter,
    // Every call could buy: the level with a condition takes part in each.
    conditions: { couldBuy: () => true } satisfies Conditions,
    metrics,
    sessions,
    router: router({ coupon: router({ seckill: userProcedure.use(limited).mutation(() => ({})) }) }),
    cookies: shoppers.map((id) => sessions.createCookieHeader({ id, name: 'Ann', role: 'shopper' })),
  };
}

/** Reads the arguments of a server's process: the windows and where Redis is. */
export function readWindows(text: string | undefined): Windows {
  if (text === 'user-full' || text === 'global-full' || text === 'open') return text;
  throw new TypeError(`windows are user-full, global-full or open, not ${text}`);
}
