import { initTRPC } from '@trpc/server';
import {
  createTrpcLimits,
  type Policy,
  policiesOf,
  type RateLimitContext,
  rateLimit,
} from 'floodgate-limiter/trpc';
import { limiter } from './limiter';

export const { contextOf, errorFormatter, responseMeta } = createTrpcLimits({ limiter });

const greeting: Policy<RateLimitContext> = {
  levels: [{ level: 'ip', limit: 100, windowMs: 60_000 }],
  message: { en: 'Too many greetings. Come back when the wait is over.' },
};

const t = initTRPC.context<RateLimitContext>().create({ errorFormatter });

export const router = t.router({
  greet: t.procedure.use(rateLimit(greeting)).query(() => 'Hello.'),
});
// Throws if two policies share a name, a procedure has no limit, or .input() comes before the limit.
policiesOf(router);
