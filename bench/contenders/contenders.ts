import type { Algorithm } from '../../server/limiter/index';
import type { Contender } from './contender';
import { floodgate } from './floodgate';
import {
  expressRateLimit,
  fastifyRateLimit,
  rateLimiterFlexible,
  rateLimiterFlexibleMemory,
  upstash,
} from './packages';
import { ceiling, fourCommands, tutorialLua } from './scripts';

/** All contenders, by the name that cases use. */
export const contenders = {
  ceiling,
  together: floodgate({
    name: 'Floodgate',
    about: 'sliding log, default options: the calls of one event-loop tick share a script call',
  }),
  sheds: floodgate({
    name: 'Floodgate, before tRPC runs',
    about: 'like the product’s listener: cached denials need no decision',
    sheds: true,
  }),
  sent: floodgate({
    name: 'Floodgate, no denial cache',
    about: 'default options without the denial cache',
    cacheDenials: false,
  }),
  log: alone('sliding log', 'sliding-log'),
  counter: alone('sliding counter', 'sliding-counter'),
  fixed: alone('fixed window', 'fixed-window'),
  token: alone('token bucket', 'token-bucket'),
  leaky: alone('leaky bucket', 'leaky-bucket'),
  flexible: rateLimiterFlexible({ blocksInMemory: false }),
  flexibleBlocks: rateLimiterFlexible({ blocksInMemory: true }),
  flexibleMemory: rateLimiterFlexibleMemory,
  upstash: upstash({ cachesDenials: false }),
  upstashCaches: upstash({ cachesDenials: true }),
  express: expressRateLimit(),
  fastify: fastifyRateLimit,
  fourCommands,
  tutorialLua,
} satisfies Record<string, Contender>;

export type ContenderName = keyof typeof contenders;

/** Returns a contender by its name. */
export function contenderOf(name: ContenderName): Contender {
  return contenders[name];
}

/** Returns the title of a contender for a table, bold for one of ours. */
export function titleOf(contender: ContenderName): string {
  const { name, isOurs } = contenderOf(contender);
  return isOurs ? `**${name}**` : name;
}

function alone(counts: string, algorithm: Algorithm): Contender {
  return floodgate({
    name: `Floodgate, ${counts}, alone`,
    about: `${counts}; one script call for each decision`,
    algorithm,
    cacheDenials: false,
    isAlone: true,
  });
}
