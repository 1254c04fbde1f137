/**
 * The product's listener before one procedure with the levels of the sale but other windows: `listener.ts WINDOWS REDIS_URL`.
 * `user-full`, `global-full`: that level fills up immediately and stays full. `open`: both levels admit every call.
 * Its live hub reads a global window from Redis as the product does.
 */
import { createDecisionCounter } from '../../server/fleet/decision-counter';
import { createListener } from '../../server/http/listener';
import { createSessions } from '../../server/http/session';
import { rateLimit } from '../../server/limiter/adapters/trpc';
import { createLimiter, resolvePolicy } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';
import { createLiveHub } from '../../server/live/live-hub';
import { createLog } from '../../server/observability/log';
import { createMetrics } from '../../server/observability/metrics';
import { policies } from '../../server/policies';
import { connectRedis } from '../../server/redis/client';
import type { Context } from '../../server/trpc/context';
import { router, userProcedure } from '../../server/trpc/procedures';
import { secret } from '../contenders/floodgate';
import { serverTasks, serveTasks } from '../harness/tasks';
import { prefix, shownPolicy } from './shown-window';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const SHOPPERS = 50;

const [windows, redisUrl = ''] = process.argv.slice(2);
const redis = await connectRedis([redisUrl], () => undefined);
const log = createLog({ level: 'info' });
const metrics = createMetrics();
const decisionCounter = createDecisionCounter({ redis });
const limiter = createLimiter({
  store: ioredisStore(redis),
  secret,
  prefix: `listener:${windows}:`,
  onDecision: (outcome) => decisionCounter.count(outcome),
});
metrics.observeLimiter(limiter);
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
const limited = userProcedure.use(rateLimit<Context>(policy, { onQueued: () => ({}) }));

const shown = resolvePolicy(shownPolicy, shownPolicy.name);
const reader = createLimiter({ store: ioredisStore(redis), secret, prefix });
const liveHub = createLiveHub({
  async read() {
    const { now, windows } = await reader.peek(shown, {});
    return {
      serverNow: now,
      windows,
      rates: [
        { policy: shown.name, level: 'global', admitted: 100_000, refused: 900_000, banned: 0, degraded: 0 },
      ],
      stock: [{ couponId: 'c', remaining: 100_000 }],
      queues: [],
      levels: [],
      bans: 0,
      couponsVersion: '',
      stockGaps: 0,
    };
  },
  readStock: async () => [],
  onViewers: metrics.setLiveViewers,
  log,
});

const listener = createListener({
  ...{ limiter, metrics, sessions, liveHub, log },
  env: {
    PORT: 0,
    HOST: '127.0.0.1',
    TRUSTED_PROXIES: [],
    FLOODGATE_DEMO: false,
    NODE_ENV: 'production',
    LIVE_STREAMS_PER_ADDRESS: 1_000_000,
  },
  router: router({ coupon: router({ seckill: limited.mutation(() => ({})) }) }),
  // The level with a condition takes part in each call.
  conditions: { couldBuy: () => true },
  checkSession: async () => 'current',
  readiness: async () => ({ ready: true, dependencies: {} }),
  pages: { handle: async () => undefined, close: async () => undefined },
});
const { port } = await listener.listen();
const cookies = Array.from({ length: SHOPPERS }, (_, index) =>
  sessions.createCookieHeader({
    id: `00000000-0000-4000-8000-${1000 + index}00000000`,
    name: 'Ann',
    role: 'shopper',
  }),
);
serveTasks(serverTasks, { port, cookies });
