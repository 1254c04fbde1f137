import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { forwardedAddress } from 'floodgate-limiter/fetch';
import { contextOf, responseMeta, router } from '../../../../router';

function handle(req: Request): Promise<Response> {
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req,
    router,
    responseMeta,
    // Without a maximum batch size, one HTTP request could contain any number of calls.
    maxBatchSize: 10,
    // Next.js gives a route no peer. Behind one proxy that every request passes, the last entry is the caller.
    createContext: () => contextOf({ ip: forwardedAddress(req, { proxies: 1 }) }),
  });
}

export { handle as GET, handle as POST };
