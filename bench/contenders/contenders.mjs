import { ceiling } from './ceiling.mjs';
import { expressRateLimit } from './express-rate-limit.mjs';
import { fastifyRateLimit } from './fastify-rate-limit.mjs';
import { floodgate } from './floodgate.mjs';
import { fourCommands } from './four-commands.mjs';
import { minimalWindow } from './minimal-window.mjs';
import { rateLimiterFlexible } from './rate-limiter-flexible.mjs';
import { emptyMiddleware, floodgateCaller } from './trpc-caller.mjs';
import { trpcLimiter } from './trpc-limiter.mjs';
import { tutorialLua } from './tutorial-lua.mjs';
import { upstash } from './upstash.mjs';

/** All contenders, by the name that cases use. */
export const contenders = {
  ceiling,
  minimalWindow,
  together: floodgate({
    name: 'Floodgate',
    about: 'sliding log, default options: the calls of one event-loop tick share a script call',
    variant: 'together',
  }),
  sheds: floodgate({
    name: 'Floodgate, before tRPC runs',
    about: 'like the product’s listener: cached denials need no decision',
    variant: 'together',
    sheds: true,
  }),
  sent: floodgate({
    name: 'Floodgate, no denial cache',
    about: 'default options without the denial cache',
    variant: 'together',
    cacheDenials: false,
  }),
  log: alone('sliding log', 'sliding-log'),
  counter: alone('sliding counter', 'sliding-counter'),
  fixed: alone('fixed window', 'fixed-window'),
  token: alone('token bucket', 'token-bucket'),
  leaky: alone('leaky bucket', 'leaky-bucket'),
  flexible: rateLimiterFlexible({ blocksInMemory: false }),
  flexibleBlocks: rateLimiterFlexible({ blocksInMemory: true }),
  upstash: upstash({ cachesDenials: false }),
  upstashCaches: upstash({ cachesDenials: true }),
  express: expressRateLimit,
  fastify: fastifyRateLimit,
  fourCommands,
  tutorialLua,
  caller: floodgateCaller('together'),
  callerAlone: floodgateCaller('alone'),
  emptyMiddleware,
  trpcLimiter,
};

/** @typedef {keyof typeof contenders} ContenderName */

/**
 * @param {string} counts
 * @param {import('../../server/limiter/index').Algorithm} algorithm
 */
function alone(counts, algorithm) {
  return floodgate({
    name: `Floodgate, ${counts}, alone`,
    about: `${counts}; one script call for each decision`,
    variant: 'alone',
    algorithm,
    cacheDenials: false,
  });
}
