import { connect } from './connect.mjs';
import { checkInSequence, loadPeer } from './contender.mjs';

/**
 * @param {{ blocksInMemory: boolean }} options  Its fast mode: the process refuses a refused subject until the window ends.
 * @returns {import('./contender.mjs').Contender}
 */
export function rateLimiterFlexible({ blocksInMemory }) {
  return {
    name: `rate-limiter-flexible${blocksInMemory ? ', in-memory block' : ''}`,
    about: `window from the first hit${blocksInMemory ? '; `inMemoryBlockOnConsumed`' : ''}`,
    needs: ['rate-limiter-flexible'],
    isOurs: false,
    async open({ redisUrl, prefix, levels }) {
      const { RateLimiterRedis, RateLimiterRes } = await loadPeer('rate-limiter-flexible');
      const { client, stop } = await connect(redisUrl);
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
      return { decide, stop };
    },
  };
}
