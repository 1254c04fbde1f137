/** The click behind tRPC's Node adapter with the product's context, without the product's listener. */
import { createServer } from 'node:http';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { listenOnFreePort } from '../../scripts/lib/ports.mjs';
import { createRequestContext } from '../../server/http/request-context';
import { createClientAddress } from '../../server/limiter/adapters/client-address';
import { rateLimitHeaders } from '../../server/limiter/index';
import { serverTasks, serveTasks } from '../harness/tasks';
import { createClick, readWindows } from './click';

const [windows, redisUrl = ''] = process.argv.slice(2);
const { limiter, conditions, sessions, router, cookies } = await createClick({
  redisUrl,
  name: 'adapter-alone',
  windows: readWindows(windows),
});
const clientAddress = createClientAddress({ trustedProxies: [] });
const requestContext = createRequestContext({
  ...{ limiter, conditions, sessions, clientAddress, secure: false },
  checkSession: async () => 'current',
});
const handler = createHTTPHandler({
  router,
  basePath: '/api/trpc/',
  createContext: ({ req, res }) => requestContext(req, res),
  responseMeta: ({ ctx }) => ({ headers: rateLimitHeaders(ctx?.rateLimit.decisions ?? []) }),
});
serveTasks(serverTasks, { port: await listenOnFreePort(createServer(handler)), cookies });
