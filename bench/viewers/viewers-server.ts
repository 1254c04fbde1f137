/**
 * The product's listener with its live hub, which reads the window of everybody from Redis as the product does, while one
 * hit enters it each 40 ms: every reading differs from the last, so that each viewer gets four events a second.
 */
import { createListener } from '../../server/http/listener';
import { createLiveHub } from '../../server/http/live-hub';
import { resolvePolicy } from '../../server/limiter';
import { createLog } from '../../server/observability/log';
import { policies } from '../../server/policies';
import { createClick } from '../http/click';
import { tellCpu } from '../http/tell-cpu.mjs';

const [redisUrl = ''] = process.argv.slice(2);
const { limiter, metrics, sessions, router, cookies } = await createClick({
  redisUrl,
  name: 'viewers',
  windows: 'open',
});
const log = createLog({ level: 'info' });
const shown = resolvePolicy(
  {
    name: 'bench.live',
    levels: [{ ...policies.seckill.levels[1], limit: 250 }],
    message: policies.seckill.message,
  },
  'bench.live',
);
let admitted = 0;
setInterval(async () => {
  const decision = await limiter.decide(shown, { subjects: [''] });
  if (decision.allowed) admitted += 1;
}, 40);

const liveHub = createLiveHub({
  async read() {
    const { now, windows } = await limiter.peek(shown, { subjects: [''] });
    const rates = [{ policy: 'bench.live', level: 'global', admitted, refused: 0, banned: 0, degraded: 0 }];
    return { serverNow: now, windows, rates, stock: [{ couponId: 'c', remaining: 1_000_000 - admitted }] };
  },
  onViewers: metrics.setLiveViewers,
  log,
});
const listener = createListener({
  env: { PORT: 0, HOST: '127.0.0.1', TRUSTED_PROXIES: [], FLOODGATE_DEMO: false, NODE_ENV: 'production' },
  router,
  limiter,
  sessions,
  log,
  metrics,
  liveHub,
  checks: {},
  pages: { handle: async () => undefined, close: async () => undefined },
});
const { port } = await listener.listen();
tellCpu({ port, cookies });
