import { createHash } from 'node:crypto';
import { connect } from './connect.mjs';
import { checkInSequence, loadPeer } from './contender.mjs';

/** First line of its scripts: a flag for Upstash's servers, which Redis rejects. */
const FLAGS = /^#!lua[^\n]*\n/;

/**
 * @param {{ cachesDenials: boolean }} options  Its `ephemeralCache`: the process refuses a refused subject until the window ends.
 * @returns {import('./contender.mjs').Contender}
 */
export function upstash({ cachesDenials }) {
  return {
    name: `@upstash/ratelimit${cachesDenials ? ', ephemeral cache' : ''}`,
    about:
      'two weighted fixed windows on the caller’s clock; made for HTTP, here on ioredis, without the first line of its scripts, which Redis rejects',
    needs: ['@upstash/ratelimit'],
    isOurs: false,
    async open({ redisUrl, prefix, levels }) {
      const { Ratelimit } = await loadPeer('@upstash/ratelimit');
      const { client, stop } = await connect(redisUrl);
      const redis = overTcp(client);
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
      return { decide, stop };
    },
  };
}

/**
 * Implements the methods of Upstash's HTTP client on ioredis.
 *
 * @param {import('ioredis').Redis} client
 */
function overTcp(client) {
  /** @type {Map<string, string>} Hash of its script → hash of the executed script. */
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
