import { loadLimiter } from '../contenders/bundles.mjs';
import { connect } from '../contenders/connect.mjs';
import { HIT_EVERY_MS, prefix, shownPolicy } from './shown-window.mjs';

/**
 * Puts hits into the window that is shown, from this process: what a viewer costs is not what a decision costs.
 *
 * @param {string} redisUrl
 * @returns {Promise<() => Promise<void>>}  Ends it; rejects where a hit could not be put in.
 */
export async function makeNews(redisUrl) {
  const { createLimiter, resolvePolicy } = await loadLimiter('together');
  const { client, stop } = await connect(redisUrl);
  const limiter = createLimiter({ redis: client, secret: 'bench', prefix });
  const policy = resolvePolicy(shownPolicy, shownPolicy.name);
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(() => limiter.decide(policy, { subjects: [''] }));
    last.catch(() => clearInterval(timer));
  }, HIT_EVERY_MS);
  return async () => {
    clearInterval(timer);
    await last;
    await stop();
  };
}
