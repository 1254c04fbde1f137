import { forwardedAddress, rateLimit } from 'floodgate-limiter/fetch';
import { greeting, limiter } from '../../../limiter';

export const GET = rateLimit({
  limiter,
  policy: greeting,
  subjects: (request) => ({ ip: forwardedAddress(request, { proxies: 1 }) }),
})(() => new Response('Hello.'));
