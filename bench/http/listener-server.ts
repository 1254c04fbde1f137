/** The click behind the product's listener. `shed` refuses like the product. `adapter` lets tRPC send each refusal. */
import { createListener } from '../../server/http/listener';
import { createLiveHub } from '../../server/live/live-hub';
import { createLog } from '../../server/observability/log';
import { createClick, readWindows } from './click';
import { reportCpu } from './report-cpu.mjs';

const [variant = '', windows, redisUrl = ''] = process.argv.slice(2);
const { limiter, conditions, metrics, sessions, router, cookies } = await createClick({
  redisUrl,
  name: variant,
  windows: readWindows(windows),
});
const log = createLog({ level: 'info' });

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
  limiter: variant === 'shed' ? limiter : { ...limiter, cachedRefusal: () => undefined },
  conditions,
  sessions,
  checkSession: async () => 'current',
  log,
  metrics,
  liveHub: createLiveHub({
    read: async () => ({ serverNow: 0, windows: [], rates: [], stock: [], queues: [], levels: [] }),
    log,
  }),
  readiness: async () => ({ ready: true, dependencies: {} }),
  pages: { handle: async () => undefined, close: async () => undefined },
});
const { port } = await listener.listen();
reportCpu({ port, cookies });
