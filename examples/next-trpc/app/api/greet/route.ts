import { forwardedAddress, rateLimit } from 'floodgate-limiter/fetch';
import { connect, greeting, limiter } from '../../../limiter';

export const GET = rateLimit({
  limiter,
  policy: greeting,
  async subjects(request) {
    await connect();
    return { ip: forwardedAddress(request, { proxies: 1 }) };
  },
})(() => new Response('Hello.'));
