import { createHash } from 'node:crypto';
import { connect } from './connect.mjs';
import { inTurn, loadPeer } from './contender.mjs';

/** First line of each of its scripts: a flag of Upstash's own servers, which Redis refuses. */
const FLAGS = /^#!lua[^\n]*\n/;

/**
 * @param {{ cachesDenials: boolean }} options  Its `ephemeralCache`: who is refused is refused by the process until the window ends.
 * @returns {import('./contender.mjs').Contender}
 */
export function upstash({ cachesDenials }) {
  return {
    name: `@upstash/ratelimit${cachesDenials ? ', ephemeral cache' : ''}`,
    about:
      'two fixed windows, weighted, by the clock of the caller; made for HTTP, here on ioredis, its scripts without their first line, which Redis refuses',
    needs: ['@upstash/ratelimit'],
    isOurs: false,
    keepsHits: false,
    async open({ redisUrl, prefix, levels }) {
      const { Ratelimit } = await loadPeer('@upstash/ratelimit');
      const { client, stop } = await connect(redisUrl);
      const redis = overTcp(client);
      const decide = inTurn(levels, ({ limit, windowMs }, place) => {
        const limiter = new Ratelimit({
          redis,
          prefix: `${prefix}${place}`,
          limiter: Ratelimit.slidingWindow(limit, `${windowMs} ms`),
          ephemeralCache: cachesDenials ? new Map() : false,
          timeout: 0,
          analytics: false,
        });
        return async (subject) => (await limiter.limit(subject)).success;
      });
      return { decide, stop };
    },
  };
}

/**
 * What it asks of Upstash's HTTP client, said to Redis.
 *
 * @param {import('ioredis').Redis} client
 */
function overTcp(client) {
  /** @type {Map<string, string>} Its hash of a script → that of what runs. */
  const hashes = new Map();
  return {
    /** @param {string} hash @param {string[]} keys @param {(string | number)[]} args */
    evalsha: (hash, keys, args) =>
      client.evalsha(hashes.get(hash) ?? hash, keys.length, ...keys, ...args.map(String)),
    /** @param {string} script @param {string[]} keys @param {(string | number)[]} args */
    eval(script, keys, args) {
      const plain = script.replace(FLAGS, '');
      hashes.set(sha1(script), sha1(plain));
      return client.eval(plain, keys.length, ...keys, ...args.map(String));
    },
  };
}

/** @param {string} text */
function sha1(text) {
  return createHash('sha1').update(text).digest('hex');
}
