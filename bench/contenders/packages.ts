/** The limiters of bench/package.json. */
import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type Contender, checkInSequence, connect, loadPeer } from './contender';

/** `blocksInMemory`: its fast mode, in which the process refuses a refused subject until the window ends. */
export function rateLimiterFlexible({ blocksInMemory }: { blocksInMemory: boolean }): Contender {
  return {
    name: `rate-limiter-flexible${blocksInMemory ? ', in-memory block' : ''}`,
    about: `window from the first hit${blocksInMemory ? '; `inMemoryBlockOnConsumed`' : ''}`,
    needs: ['rate-limiter-flexible'],
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
        return consumeFrom(limiter, RateLimiterRes);
      });
      return { decide };
    },
  };
}

/** Returns the function that takes a point from a limiter of rate-limiter-flexible, which throws its refusals. */
function consumeFrom(
  limiter: { consume: (key: string) => Promise<unknown> },
  Refusal: new () => object,
): (subject: string) => Promise<boolean> {
  return async (subject) => {
    try {
      await limiter.consume(subject);
      return true;
    } catch (refusal) {
      if (refusal instanceof Refusal) return false;
      throw refusal;
    }
  };
}

/** Its limiter of one process, which shares nothing with other nodes. */
export const rateLimiterFlexibleMemory: Contender = {
  name: 'rate-limiter-flexible, in memory',
  about: 'window from the first hit, of one process alone',
  needs: ['rate-limiter-flexible'],
  async open({ levels }) {
    const { RateLimiterMemory, RateLimiterRes } = await loadPeer('rate-limiter-flexible');
    const decide = checkInSequence(levels, ({ limit, windowMs }) =>
      consumeFrom(new RateLimiterMemory({ points: limit, duration: windowMs / 1000 }), RateLimiterRes),
    );
    return { decide };
  },
};

/** The store of the plugin, without its server and its headers. */
export const fastifyRateLimit: Contender = {
  name: '@fastify/rate-limit',
  about: 'window from the first hit; its Redis store alone',
  needs: ['@fastify/rate-limit'],
  async open({ redisUrl, prefix, levels }) {
    const { default: RedisStore } = await loadPeer('@fastify/rate-limit/store/RedisStore.js');
    const { client } = await connect(redisUrl);
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => {
      const store = new RedisStore(false, false, client, `${prefix}${index}`);
      return (subject) =>
        new Promise<boolean>((resolve, reject) =>
          store.incr(
            subject,
            (error: Error | null, reply: { current: number }) =>
              error ? reject(error) : resolve(reply.current <= limit),
            windowMs,
            limit,
          ),
        );
    });
    return { decide };
  },
};

/** `cachesDenials`: its `ephemeralCache`, in which the process refuses a refused subject until the window ends. */
export function upstash({ cachesDenials }: { cachesDenials: boolean }): Contender {
  return {
    name: `@upstash/ratelimit${cachesDenials ? ', ephemeral cache' : ''}`,
    about:
      'two weighted fixed windows on the caller’s clock; made for HTTP, here on ioredis, without the first line of its scripts, which Redis rejects',
    needs: ['@upstash/ratelimit'],
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

/** Its middleware is called without a server. */
export function expressRateLimit(): Contender {
  return {
    name: 'express-rate-limit',
    about: 'window from the first hit, in `rate-limit-redis`; its middleware, called without a server',
    needs: ['express-rate-limit', 'rate-limit-redis'],
    async open({ redisUrl, prefix, levels }) {
      const { rateLimit } = await loadPeer('express-rate-limit');
      const { RedisStore } = await loadPeer('rate-limit-redis');
      const { client } = await connect(redisUrl);
      const decide = checkInSequence(levels, ({ limit, windowMs }, index) => {
        const middleware = rateLimit({
          ...{ limit, windowMs, validate: false, standardHeaders: false, legacyHeaders: false },
          keyGenerator: ({ subject }: { subject: string }) => subject,
          handler: (_request: unknown, { refuse }: { refuse: () => void }) => refuse(),
          store: new RedisStore({
            prefix: `${prefix}${index}`,
            sendCommand: (name: string, ...args: string[]) => client.call(name, ...args),
          }),
        });
        return (subject) =>
          new Promise<boolean>((resolve, reject) =>
            middleware({ subject }, { refuse: () => resolve(false) }, (error?: Error) =>
              error ? reject(error) : resolve(true),
            ),
          );
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
