import { createDecisionCounter } from '../../server/fleet/decision-counter';
import { createListener, type ListenerOptions } from '../../server/http/listener';
import { createSessions } from '../../server/http/session';
import { rateLimit } from '../../server/limiter/adapters/trpc';
import { createLimiter, type Limiter } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';
import { createLog } from '../../server/observability/log';
import { createMetrics } from '../../server/observability/metrics';
import { policies } from '../../server/policies';
import { connectRedis } from '../../server/redis/client';
import type { Conditions, Context } from '../../server/trpc/context';
import { router, userProcedure } from '../../server/trpc/procedures';
import { secret } from '../contenders/floodgate';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const SHOPPERS = 50;

/**
 * The windows of the sale's levels. `user-full`, `global-full`: that level fills up immediately and stays full. `open`: both
 * levels admit every call.
 */
export type Windows = 'user-full' | 'global-full' | 'open';

/**
 * Creates one procedure with the levels of the sale but other windows, and everything that a server in front of it needs:
 * the limiter, and the cookies of 50 signed-in shoppers.
 */
export async function createClick({
  redisUrl,
  name,
  windows,
}: {
  redisUrl: string;
  /** The name of the server. Each server has separate windows. */
  name: string;
  windows: Windows;
}) {
  const redis = await connectRedis([redisUrl], () => undefined);
  const metrics = createMetrics();
  const decisionCounter = createDecisionCounter({ redis });
  const limiter: Limiter = createLimiter({
    store: ioredisStore(redis),
    secret,
    prefix: `${name}:${windows}:`,
    onDecision(outcome) {
      metrics.observeDecision(outcome);
      metrics.setBreakerOpen(limiter.breakerState() !== 'closed');
      decisionCounter.count(outcome);
    },
  });
  const sessions = createSessions({ secrets: ['only-for-a-bench-only-for-a-bench'], secure: false });
  const policy = {
    ...policies.seckill,
    levels: policies.seckill.levels.map((level) => ({
      ...level,
      ...(windows === `${level.level}-full`
        ? { windowMs: HOUR_MS }
        : { limit: 1_000_000, windowMs: SECOND_MS }),
    })),
  };
  const limited = rateLimit<Context>(policy, { onQueued: () => ({}) });
  const shoppers = Array.from(
    { length: SHOPPERS },
    (_, index) => `00000000-0000-4000-8000-${1000 + index}00000000`,
  );
  return {
    limiter,
    // The level with a condition takes part in each call.
    conditions: { couldBuy: () => true } satisfies Conditions,
    metrics,
    sessions,
    router: router({ coupon: router({ seckill: userProcedure.use(limited).mutation(() => ({})) }) }),
    cookies: shoppers.map((id) => sessions.createCookieHeader({ id, name: 'Ann', role: 'shopper' })),
  };
}

/** Starts the product's listener in front of a click. Returns its port. */
export function listen({
  cookies: _cookies,
  ...click
}: Awaited<ReturnType<typeof createClick>> & Pick<ListenerOptions, 'liveHub'>): Promise<{ port: number }> {
  const listener = createListener({
    ...click,
    env: {
      PORT: 0,
      HOST: '127.0.0.1',
      TRUSTED_PROXIES: [],
      FLOODGATE_DEMO: false,
      NODE_ENV: 'production',
      LIVE_STREAMS_PER_ADDRESS: 1_000_000,
    },
    checkSession: async () => 'current',
    log: createLog({ level: 'info' }),
    readiness: async () => ({ ready: true, dependencies: {} }),
    pages: { handle: async () => undefined, close: async () => undefined },
  });
  return listener.listen();
}

/** Parses the windows in the arguments of a server process. */
export function readWindows(text: string | undefined): Windows {
  if (text === 'user-full' || text === 'global-full' || text === 'open') return text;
  throw new TypeError(`windows must be user-full, global-full or open, not ${text}`);
}
