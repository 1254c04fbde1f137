import { loadLimiter } from './bundles.mjs';
import { connect } from './connect.mjs';

/** Level names of a policy with at most three levels. */
const names = ['first', 'second', 'third'];

/**
 * Creates a contender from the product's limiter and client.
 *
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.about
 * @param {'together' | 'alone'} options.variant
 * @param {import('../../server/limiter/index').Algorithm} [options.algorithm]  Algorithm of levels without one. Default: sliding log.
 * @param {boolean} [options.cacheDenials]  Default: true.
 * @param {boolean} [options.sheds]  Checks cached denials first, like the product's listener. Default: false.
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
    async open({ redisUrl, prefix, levels }) {
      const { createLimiter, ioredisStore, resolvePolicy } = await loadLimiter(variant);
      const { client, stop } = await connect(redisUrl);
      const limiter = createLimiter({
        store: ioredisStore(client),
        secret: 'the secret of a benchmark, 32 letters',
        prefix,
        cacheDenials,
      });
      const policy = resolvePolicy(
        {
          name: 'bench',
          levels: levels.map((level, index) => ({
            algorithm,
            ...level,
            level: names[index] ?? '',
            by: () => '',
          })),
          message: { en: 'Wait.' },
        },
        'bench',
      );
      const toCall = (/** @type {readonly string[]} */ [first, second, third]) => ({
        subjects: { first, second, third },
      });
      const decide = async (/** @type {readonly string[]} */ subjects) =>
        (await limiter.decide(policy, toCall(subjects))).allowed;
      if (!sheds) return { stop, decide };
      return {
        stop,
        decide: (subjects) =>
          limiter.cachedRefusal(policy, toCall(subjects)) === undefined && decide(subjects),
      };
    },
  };
}
