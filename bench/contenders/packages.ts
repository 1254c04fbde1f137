/** The limiters of bench/package.json. */
import { createHash } from 'node:crypto';
import { initTRPC } from '@trpc/server';
import type { Redis } from 'ioredis';
import { type Contender, checkInSequence, connect, loadPeer } from './contender';
import { isAdmitted } from './floodgate';

/** `blocksInMemory`: its fast mode, in which the process refuses a refused subject until the window ends. */
export function rateLimiterFlexible({ blocksInMemory }: { blocksInMemory: boolean }): Contender {
  return {
    name: `rate-limiter-flexible${blocksInMemory ? ', in-memory block' : ''}`,
    about: `window from the first hit${blocksInMemory ? '; `inMemoryBlockOnConsumed`' : ''}`,
    needs: ['rate-limiter-flexible'],
    isOurs: false,
    async open({ redisUrl, prefix, levels }) {
      const { RateLimiterRedis, RateLimiterRes } = await loadPeer('rate-limiter-flexible');
      const { client } = await connect(redisUrl);
      const decide = checkInSequence(levels, ({ limit, windowMs }, index) => {
        const limiter = new RateLimiterRedis({
          storeClient: client,
          keyPrefix: `${prefix}${index}`,
          points: limit,
          duration: windowMs / 1000,
          ...(blocksInMemory && { inMemoryBlockOnConsumed: limit }),
        });
        return async (subject) => {
          try {
            await limiter.consume(subject);
            return true;
          } catch (refusal) {
            if (refusal instanceof RateLimiterRes) return false;
            throw refusal;
          }
        };
      });
      return { decide };
    },
  };
}

/** `cachesDenials`: its `ephemeralCache`, in which the process refuses a refused subject until the window ends. */
export function upstash({ cachesDenials }: { cachesDenials: boolean }): Contender {
  return {
    name: `@upstash/ratelimit${cachesDenials ? ', ephemeral cache' : ''}`,
    about:
      'two weighted fixed windows on the caller’s clock; made for HTTP, here on ioredis, without the first line of its scripts, which Redis rejects',
    needs: ['@upstash/ratelimit'],
    isOurs: false,
    async open({ redisUrl, prefix, levels }) {
      const { Ratelimit } = await loadPeer('@upstash/ratelimit');
      const redis = overTcp((await connect(redisUrl)).client);
      const decide = checkInSequence(levels, ({ limit, windowMs }, index) => {
        const limiter = new Ratelimit({
          redis,
          prefix: `${prefix}${index}`,
          limiter: Ratelimit.slidingWindow(limit, `${windowMs} ms`),
          ephemeralCache: cachesDenials ? new Map() : false,
          timeout: 0,
          analytics: false,
        });
        return async (subject) => (await limiter.limit(subject)).success;
      });
      return { decide };
    },
  };
}

/** First line of Upstash's scripts: a flag for Upstash's servers, which Redis rejects. */
const UPSTASH_FLAGS = /^#!lua[^\n]*\n/;

/** Implements the methods of Upstash's HTTP client on ioredis. */
function overTcp(client: Redis) {
  /** Hash of its script → hash of the executed script. */
  const hashes = new Map<string, string>();
  const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');
  return {
    evalsha: (hash: string, keys: string[], args: (string | number)[]) =>
      client.evalsha(hashes.get(hash) ?? hash, keys.length, ...keys, ...args.map(String)),
    eval(script: string, keys: string[], args: (string | number)[]) {
      const plain = script.replace(UPSTASH_FLAGS, '');
      hashes.set(sha1(script), sha1(plain));
      return client.eval(plain, keys.length, ...keys, ...args.map(String));
    },
  };
}

export const expressRateLimit: Contender = {
  name: 'express-rate-limit + rate-limit-redis',
  about: 'window from the first hit; the middleware called without Express, headers and validations off',
  needs: ['express-rate-limit', 'rate-limit-redis'],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const { rateLimit } = await loadPeer('express-rate-limit');
    const { RedisStore } = await loadPeer('rate-limit-redis');
    const { client } = await connect(redisUrl);
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => {
      const middleware = rateLimit({
        limit,
        windowMs,
        standardHeaders: false,
        legacyHeaders: false,
        validate: false,
        keyGenerator: ({ subject }: { subject: string }) => subject,
        handler: (_req: unknown, { refuse }: { refuse: () => void }) => refuse(),
        store: new RedisStore({
          prefix: `${prefix}${index}:`,
          sendCommand: (...command: [string, ...string[]]) => client.call(...command),
        }),
      });
      return (subject) =>
        new Promise((resolve, reject) => {
          const next = (error: unknown) => (error ? reject(error) : resolve(true));
          middleware({ subject }, { refuse: () => resolve(false) }, next);
        });
    });
    return { decide };
  },
};

export const fastifyRateLimit: Contender = {
  name: '@fastify/rate-limit, its store',
  about: 'window from the first hit; its Redis store alone, without Fastify',
  needs: ['@fastify/rate-limit'],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const { default: RedisStore } = await loadPeer('@fastify/rate-limit/store/RedisStore.js');
    const { client } = await connect(redisUrl);
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => {
      const store = new RedisStore(false, false, client, `${prefix}${index}:`);
      return (subject) =>
        new Promise((resolve, reject) => {
          const onReply = (error: unknown, reply: { current: number }) =>
            error ? reject(error) : resolve(reply.current <= limit);
          store.incr(subject, onReply, windowMs, limit);
        });
    });
    return { decide };
  },
};

export const trpcLimiter: Contender = {
  name: '@trpc-limiter/redis',
  about:
    'window from the first hit, in whole seconds; through a tRPC caller, on node-redis, which it requires',
  needs: ['@trpc-limiter/redis', 'redis'],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const { createTrpcRedisLimiter } = await loadPeer('@trpc-limiter/redis');
    const { createClient } = await loadPeer('redis');
    const redisClient = createClient({ url: redisUrl });
    await redisClient.connect();
    const { procedure, router } = initTRPC.context().create();
    let limited = procedure;
    for (const [index, { limit, windowMs }] of levels.entries()) {
      limited = limited.use(
        createTrpcRedisLimiter({
          redisClient,
          max: limit,
          windowMs,
          fingerprint: ({ subjects }: { subjects: string[] }) => `${prefix}${index}:${subjects[index]}`,
        }),
      );
    }
    const app = router({ decide: limited.query(() => 'ok') });
    return { decide: (subjects) => isAdmitted(app.createCaller({ subjects }).decide()) };
  },
};
