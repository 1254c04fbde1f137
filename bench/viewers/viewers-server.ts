/**
 * The product's listener with its live hub, which reads a global window from Redis as the product does. Another process
 * adds hits, so that every reading differs from the last and each viewer gets four events a second.
 */

import { createListener } from '../../server/http/listener';
import { createLimiter, resolvePolicy } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';
import { createLiveHub } from '../../server/live/live-hub';
import { createLog } from '../../server/observability/log';
import { connectRedis } from '../../server/redis/client';
import { createClick } from '../http/click';
import { reportCpu } from '../http/report-cpu.mjs';
import { prefix, shownPolicy } from './shown-window.mjs';

const [redisUrl = ''] = process.argv.slice(2);
const { limiter, conditions, metrics, sessions, router, cookies } = await createClick({
  redisUrl,
  name: 'viewers',
  windows: 'open',
});
const log = createLog({ level: 'info' });
const shown = resolvePolicy(shownPolicy, shownPolicy.name);
const reader = createLimiter({
  store: ioredisStore(await connectRedis([redisUrl], (error) => log.error(error))),
  secret: 'the secret of a benchmark, 32 letters',
  prefix,
});

const liveHub = createLiveHub({
  async read() {
    const { now, windows } = await reader.peek(shown, {});
    const rates = [
      { policy: shown.name, level: 'global', admitted: 100_000, refused: 900_000, banned: 0, degraded: 0 },
    ];
    return {
      serverNow: now,
      windows,
      rates,
      stock: [{ couponId: 'c', remaining: 100_000 }],
      queues: [],
      levels: [],
    };
  },
  onViewers: metrics.setLiveViewers,
  log,
});
const listener = createListener({
  env: {
    PORT: 0,
    HOST: '127.0.0.1',
    TRUSTED_PROXIES: [],
    FLOODGATE_DEMO: false,
    NODE_ENV: 'production',
    LIVE_STREAMS_PER_ADDRESS: 1_000_000,
  },
  router,
  limiter,
  conditions,
  sessions,
  checkSession: async () => 'current',
  log,
  metrics,
  liveHub,
  readiness: async () => ({ ready: true, dependencies: {} }),
  pages: { handle: async () => undefined, close: async () => undefined },
});
const { port } = await listener.listen();
reportCpu({ port, cookies });
