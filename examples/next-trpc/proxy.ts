import { forwardedAddress, rateLimit } from 'floodgate-limiter/fetch';
import { NextResponse } from 'next/server';
import { limiter, visiting } from './limiter';

/** Limits a page. Next.js 16 runs it on Node, with its own copy of the limiter and the same connection. */
export const proxy = rateLimit({
  limiter,
  policy: visiting,
  subjects: (request) => ({ ip: forwardedAddress(request, { proxies: 1 }) }),
})(() => NextResponse.next());

export const config = { matcher: '/hello' };
