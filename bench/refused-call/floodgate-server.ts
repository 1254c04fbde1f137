/**
 * The product's listener in front of one procedure, limited as the sale is but by windows of an hour, so that what is
 * full stays full. `shed` refuses as the product does; `adapter` leaves each refusal to tRPC.
 */
import { createListener } from '../../server/http/listener';
import { createLiveHub } from '../../server/http/live-hub';
import { createSessions } from '../../server/http/session';
import { createLimiter, type Limiter, rateLimit } from '../../server/limiter';
import { createRateCounter } from '../../server/limits/rates';
import { createLog } from '../../server/observability/log';
import { createMetrics } from '../../server/observability/metrics';
import { policies } from '../../server/policies';
import { connectRedis } from '../../server/redis/client';
import type { Context } from '../../server/trpc/context';
import { router } from '../../server/trpc/init';
import { userProcedure } from '../../server/trpc/procedures';
import { tellCpu } from './tell-cpu.mjs';

const HOUR = 60 * 60 * 1000;
const SHOPPERS = 50;
const [variant, redisUrl = ''] = process.argv.slice(2);

const log = createLog({ level: 'info' });
const metrics = createMetrics();
const redis = await connectRedis([redisUrl], () => undefined);
const rates = createRateCounter({ redis, node: 'bench' });
const limiter: Limiter = createLimiter({
  redis,
  secret: 'bench',
  prefix: `${variant}:`,
  onDecision(outcome) {
    metrics.observeDecision(outcome);
    metrics.setBreakerOpen(limiter.breaker() !== 'closed');
    rates.count(outcome);
  },
});
const sessions = createSessions({ secrets: ['only-for-a-bench-only-for-a-bench'], secure: false });
const limited = rateLimit<Context>({
  ...policies.seckill,
  levels: policies.seckill.levels.map((level) => ({ ...level, windowMs: HOUR })),
});

const listener = createListener({
  env: { PORT: 0, HOST: '127.0.0.1', TRUSTED_PROXIES: [], FLOODGATE_DEMO: false, NODE_ENV: 'production' },
  router: router({ coupon: router({ seckill: userProcedure.use(limited).mutation(() => ({})) }) }),
  limiter: variant === 'shed' ? limiter : { ...limiter, knownRefusal: () => undefined },
  sessions,
  log,
  metrics,
  liveHub: createLiveHub({ read: async () => ({ serverNow: 0, windows: [], rates: [], stock: [] }), log }),
  checks: {},
  pages: { handle: async () => undefined, close: async () => undefined },
});
const { port } = await listener.listen();
const shoppers = Array.from(
  { length: SHOPPERS },
  (_, place) => `00000000-0000-4000-8000-${1000 + place}00000000`,
);
tellCpu({ port, cookies: shoppers.map((id) => sessions.sign({ id, name: 'Ann', role: 'shopper' })) });
