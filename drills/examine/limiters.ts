import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { initTRPC } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import express, { type RequestHandler } from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { connect, loadPeer } from '../../bench/contenders/contender';
import { fourCommands, tutorialLua } from '../../bench/contenders/scripts';
import { rateLimit } from '../../server/limiter/adapters/express';
import { type Algorithm, createLimiter, definePolicy } from '../../server/limiter/index';
import { ioredisStore } from '../../server/limiter/stores';

/** The limit of every examined limiter. */
export const limit = 10;
export const windowMs = 2_000;

/** The options of a limiter. Its keys begin with `prefix`. `onAdmitted` is called in the handler of an admitted request. */
export interface Setup {
  redisUrl: string;
  prefix: string;
  onAdmitted: () => void;
}

/** A limiter that an examination has to name. */
export interface ExaminedLimiter {
  title: string;
  /** The right name. */
  name: string;
  /** Default: `/`. */
  path?: string;
  create(setup: Setup): Promise<RequestListener>;
}

/** Limiters of others with 10 calls in 2 s, the tutorials' versions, and Floodgate's algorithms, on Redis unless in memory. */
export const examinedLimiters: readonly ExaminedLimiter[] = [
  {
    title: 'express-rate-limit, in memory',
    name: 'first-hit-window',
    async create({ onAdmitted }) {
      const { rateLimit: limitRate } = await loadPeer('express-rate-limit');
      return toExpress(
        limitRate({ limit, windowMs, standardHeaders: 'draft-8', legacyHeaders: false }),
        onAdmitted,
      );
    },
  },
  {
    title: 'rate-limiter-flexible, in memory',
    name: 'first-hit-window',
    async create({ onAdmitted }) {
      const { RateLimiterMemory } = await loadPeer('rate-limiter-flexible');
      const limiter = new RateLimiterMemory({ points: limit, duration: windowMs / 1_000 });
      return toListener(() => limiter.consume('caller').then(...answers), onAdmitted);
    },
  },
  {
    title: 'rate-limiter-flexible',
    name: 'first-hit-window',
    async create({ redisUrl, prefix, onAdmitted }) {
      const { RateLimiterRedis } = await loadPeer('rate-limiter-flexible');
      const { client } = await connect(redisUrl);
      const limiter = new RateLimiterRedis({
        ...{ storeClient: client, keyPrefix: prefix, points: limit, duration: windowMs / 1_000 },
      });
      return toListener(() => limiter.consume('caller').then(...answers), onAdmitted);
    },
  },
  upstash('fixedWindow', { name: 'fixed-window', window: [limit, '2 s'] }),
  upstash('slidingWindow', { name: 'two-window-counter', window: [limit, '2 s'] }),
  upstash('tokenBucket', { name: 'token-bucket', window: [1, '200 ms', limit] }),
  {
    title: '@fastify/rate-limit, in memory',
    name: 'first-hit-window',
    async create({ onAdmitted }) {
      const { default: plugin } = await loadPeer('@fastify/rate-limit');
      const app = fastify({ serverFactory: (handler) => createServer(handler) });
      await app.register(plugin, { max: limit, timeWindow: windowMs });
      app.get('/', async () => {
        onAdmitted();
        return 'admitted';
      });
      await app.ready();
      return app.routing;
    },
  },
  {
    title: 'hono-rate-limiter, in memory',
    name: 'first-hit-window',
    async create({ onAdmitted }) {
      const { rateLimiter } = await loadPeer('hono-rate-limiter');
      const app = new Hono();
      app.use(rateLimiter({ limit, windowMs, keyGenerator: () => 'caller' }));
      app.get('/', (context) => {
        onAdmitted();
        return context.text('admitted');
      });
      return getRequestListener(app.fetch);
    },
  },
  {
    title: '@trpc-limiter/redis',
    name: 'first-hit-window',
    path: '/examined',
    async create({ redisUrl, prefix, onAdmitted }) {
      const { createTrpcRedisLimiter, defaultFingerPrint } = await loadPeer('@trpc-limiter/redis');
      const { client } = await connect(redisUrl);
      const { procedure, router } = initTRPC.context<{ req: IncomingMessage }>().create();
      const limited = procedure.use(
        createTrpcRedisLimiter({
          ...{ redisClient: client, max: limit, windowMs },
          fingerprint: ({ req }: { req: IncomingMessage }) => prefix + defaultFingerPrint(req),
        }),
      );
      const examined = limited.query(({ ctx }) => {
        // The log is that of one caller.
        if (!ctx.req.headers['x-forwarded-for']) onAdmitted();
        return 'admitted';
      });
      return createHTTPHandler({ router: router({ examined }), createContext: ({ req }) => ({ req }) });
    },
  },
  tutorial(fourCommands),
  tutorial(tutorialLua),
  floodgate('fixed-window', 'fixed-window'),
  floodgate('sliding-log', 'sliding-log'),
  floodgate('sliding-counter', 'sliding-counter'),
  floodgate('token-bucket', 'token-bucket'),
  floodgate('leaky-bucket', 'leaky-bucket'),
];

/** Its scripts run on ioredis, without their first line, which Redis rejects. */
function upstash(
  kind: string,
  { name, window }: { name: string; window: readonly (string | number)[] },
): ExaminedLimiter {
  return {
    title: `@upstash/ratelimit, ${kind}(${window.join(', ')})`,
    name,
    async create({ redisUrl, prefix, onAdmitted }) {
      const { Ratelimit } = await loadPeer('@upstash/ratelimit');
      const { client } = await connect(redisUrl);
      const run = (script: string, keys: string[], args: (string | number)[]) =>
        client.eval(script.replace(/^#!lua[^\n]*\n/, ''), keys.length, ...keys, ...args.map(String));
      const redis = {
        evalsha: () => Promise.reject(new Error('NOSCRIPT No matching script.')),
        eval: run,
      };
      const limiter = new Ratelimit({
        ...{
          redis,
          prefix,
          limiter: Ratelimit[kind](...window),
          ephemeralCache: false,
          timeout: 0,
          analytics: false,
        },
      });
      return toListener(async () => (await limiter.limit('caller')).success, onAdmitted);
    },
  };
}

function tutorial(contender: typeof fourCommands): ExaminedLimiter {
  return {
    title: contender.name,
    name: 'sliding-log',
    async create({ redisUrl, prefix, onAdmitted }) {
      const { decide } = await contender.open({ redisUrl, prefix, levels: [{ limit, windowMs }] });
      return toListener(() => decide(['caller']), onAdmitted);
    },
  };
}

function floodgate(algorithm: Algorithm, name: string): ExaminedLimiter {
  return {
    title: `Floodgate, ${algorithm}`,
    name,
    async create({ redisUrl, prefix, onAdmitted }) {
      const { client } = await connect(redisUrl);
      const limiter = createLimiter({ store: ioredisStore(client), secret: prefix.padEnd(32, '.'), prefix });
      const policy = definePolicy({
        name: 'examined',
        levels: [{ level: 'ip', limit, windowMs, algorithm }],
      });
      return toExpress(rateLimit({ limiter, policy }), onAdmitted);
    },
  };
}

/** The answers of a limiter that throws its refusals. */
const answers = [() => true, () => false] as const;

function toExpress(middleware: RequestHandler, onAdmitted: () => void): RequestListener {
  const app = express();
  app.get('/', middleware, (_request, response) => {
    onAdmitted();
    response.end('admitted');
  });
  return app;
}

function toListener(decide: () => boolean | Promise<boolean>, onAdmitted: () => void): RequestListener {
  return (_request, response) => void answer(response, decide, onAdmitted);
}

async function answer(
  response: ServerResponse,
  decide: () => boolean | Promise<boolean>,
  onAdmitted: () => void,
) {
  const allowed = await decide();
  if (allowed) onAdmitted();
  response.statusCode = allowed ? 200 : 429;
  response.end();
}
