/** The click behind tRPC's Node adapter with the product's context, without the product's listener. */
import { createServer } from 'node:http';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { createClientAddress } from '../../server/http/client-address';
import { createRequestContext } from '../../server/http/request-context';
import { rateLimitHeaders } from '../../server/limiter';
import { createClick, readWindows } from './click';
import { reportCpu } from './report-cpu.mjs';

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
const server = createServer(handler);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  reportCpu({ port: typeof address === 'object' ? (address?.port ?? 0) : 0, cookies });
});
