import { connect } from './connect.mjs';
import { checkInSequence, loadPeer } from './contender.mjs';

/** @type {import('./contender.mjs').Contender} */
export const expressRateLimit = {
  name: 'express-rate-limit + rate-limit-redis',
  about: 'window from the first hit; the middleware called without Express, headers and validations off',
  needs: ['express-rate-limit', 'rate-limit-redis'],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const { rateLimit } = await loadPeer('express-rate-limit');
    const { RedisStore } = await loadPeer('rate-limit-redis');
    const { client, stop } = await connect(redisUrl);
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => {
      const middleware = rateLimit({
        limit,
        windowMs,
        standardHeaders: false,
        legacyHeaders: false,
        validate: false,
        keyGenerator: (/** @type {{ subject: string }} */ { subject }) => subject,
        handler: (/** @type {unknown} */ _req, /** @type {{ refuse: () => void }} */ { refuse }) => refuse(),
        store: new RedisStore({
          prefix: `${prefix}${index}:`,
          sendCommand: (/** @type {[string, ...string[]]} */ ...command) => client.call(...command),
        }),
      });
      return (subject) =>
        new Promise((resolve, reject) => {
          const next = (/** @type {unknown} */ error) => (error ? reject(error) : resolve(true));
          middleware({ subject }, { refuse: () => resolve(false) }, next);
        });
    });
    return { decide, stop };
  },
};
