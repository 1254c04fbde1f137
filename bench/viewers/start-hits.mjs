import { loadLimiter } from '../contenders/bundles.mjs';
import { connect } from '../contenders/connect.mjs';
import { HIT_EVERY_MS, prefix, shownPolicy } from './shown-window.mjs';

/**
 * Adds hits to the shown window from this process, so that the cost of decisions is not part of the measurement.
 *
 * @param {string} redisUrl
 * @returns {Promise<() => Promise<void>>}  Stops the hits. Rejects if one of them failed.
 */
export async function startHits(redisUrl) {
  const { createLimiter, ioredisStore, resolvePolicy } = await loadLimiter('together');
  const { client, stop } = await connect(redisUrl);
  const limiter = createLimiter({
    store: ioredisStore(client),
    secret: 'the secret of a benchmark, 32 letters',
    prefix,
  });
  const policy = resolvePolicy(shownPolicy, shownPolicy.name);
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(() => limiter.decide(policy, { subjects: {} }));
    last.catch(() => clearInterval(timer));
  }, HIT_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await last;
    await stop();
  };
}
