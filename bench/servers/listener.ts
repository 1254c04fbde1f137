/** The click behind the product's listener: `listener.ts WINDOWS REDIS_URL`. */
import { createLiveHub } from '../../server/live/live-hub';
import { createLog } from '../../server/observability/log';
import { serverTasks, serveTasks } from '../harness/tasks';
import { createClick, listen, readWindows } from './click';

const [windows, redisUrl = ''] = process.argv.slice(2);
const click = await createClick({ redisUrl, name: 'listener', windows: readWindows(windows) });
const liveHub = createLiveHub({
  read: async () => ({ serverNow: 0, windows: [], rates: [], stock: [], queues: [], levels: [] }),
  log: createLog({ level: 'info' }),
});
const { port } = await listen({ ...click, liveHub });
serveTasks(serverTasks, { port, cookies: click.cookies });
