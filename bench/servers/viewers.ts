/**
 * The product's listener with its live hub, which reads a global window from Redis as the product does: `viewers.ts
 * REDIS_URL`. The figure adds hits, so that every reading differs from the last and each viewer gets four events a second.
 */
import { createLimiter, resolvePolicy } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';
import { createLiveHub } from '../../server/live/live-hub';
import { createLog } from '../../server/observability/log';
import { connect } from '../contenders/contender';
import { secret } from '../contenders/floodgate';
import { serverTasks, serveTasks } from '../harness/tasks';
import { createClick, listen } from './click';
import { prefix, shownPolicy } from './shown-window';

const [redisUrl = ''] = process.argv.slice(2);
const click = await createClick({ redisUrl, name: 'viewers', windows: 'open' });
const shown = resolvePolicy(shownPolicy, shownPolicy.name);
const { client } = await connect(redisUrl);
const reader = createLimiter({ store: ioredisStore(client), secret, prefix });

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
    };
  },
  onViewers: click.metrics.setLiveViewers,
  log: createLog({ level: 'info' }),
});
const { port } = await listen({ ...click, liveHub });
serveTasks(serverTasks, { port });
