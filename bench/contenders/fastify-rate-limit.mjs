import { connect } from './connect.mjs';
import { checkInSequence, loadPeer } from './contender.mjs';

/** @type {import('./contender.mjs').Contender} */
export const fastifyRateLimit = {
  name: '@fastify/rate-limit, its store',
  about: 'window from the first hit; its Redis store alone, without Fastify',
  needs: ['@fastify/rate-limit'],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const { default: RedisStore } = await loadPeer('@fastify/rate-limit/store/RedisStore.js');
    const { client, stop } = await connect(redisUrl);
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => {
      const store = new RedisStore(false, false, client, `${prefix}${index}:`);
      return (subject) =>
        new Promise((resolve, reject) => {
          store.incr(
            subject,
            (/** @type {unknown} */ error, /** @type {{ current: number }} */ reply) =>
              error ? reject(error) : resolve(reply.current <= limit),
            windowMs,
            limit,
          );
        });
    });
    return { decide, stop };
  },
};
