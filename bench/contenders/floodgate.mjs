import { loadLimiter } from './bundles.mjs';
import { connect } from './connect.mjs';

/** A policy of no more than three levels, each counting whom the case says. */
const names = ['first', 'second', 'third'];

/**
 * The product's limiter on the product's client.
 *
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.about
 * @param {'together' | 'alone'} options.variant
 * @param {import('../../server/limiter').Algorithm} [options.algorithm]  Where a level names none. Default: the log.
 * @param {boolean} [options.cacheDenials]  Default: true.
 * @param {boolean} [options.sheds]  Asks first what is known, as the product's listener does. Default: false.
 * @returns {import('./contender.mjs').Contender}
 */
export function floodgate({
  name,
  about,
  variant,
  algorithm = 'sliding-log',
  cacheDenials = true,
  sheds = false,
}) {
  return {
    name,
    about,
    needs: [],
    isOurs: true,
    keepsHits: algorithm === 'sliding-log',
    async open({ redisUrl, prefix, levels }) {
      const { createLimiter, resolvePolicy } = await loadLimiter(variant);
      const { client, stop } = await connect(redisUrl);
      const limiter = createLimiter({ redis: client, secret: 'bench', prefix, cacheDenials });
      const policy = resolvePolicy(
        {
          name: 'bench',
          levels: levels.map((level, place) => ({
            algorithm,
            ...level,
            level: names[place] ?? '',
            by: () => '',
          })),
          message: { en: 'Wait.' },
        },
        'bench',
      );
      const decide = async (/** @type {readonly string[]} */ subjects) =>
        (await limiter.decide(policy, { subjects })).allowed;
      if (!sheds) return { stop, decide };
      return {
        stop,
        decide: (subjects) => limiter.knownRefusal(policy, { subjects }) === undefined && decide(subjects),
      };
    },
  };
}
