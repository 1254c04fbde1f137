import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect } from '../contenders/connect.mjs';

/** The windows of the two kinds of callers: those that are admitted, and those that are refused. */
export const windows = {
  open: { limit: 100, windowMs: 60_000 },
  full: { limit: 1, windowMs: 3_600_000 },
};

/** @typedef {keyof typeof windows} Callers */

/** Our limiters by the path of their route, below which are the callers. `known` refuses from the denial cache. */
export const OURS = ['known', 'uncached'];

/**
 * Opens the limiters of the packed package, and the client of the others.
 *
 * @param {{ packageFolder: string, redisUrl: string, prefix: string, framework: string }} options
 */
export async function openLimiters({ packageFolder, redisUrl, prefix, framework }) {
  const load = (/** @type {string} */ file) =>
    import(pathToFileURL(path.join(packageFolder, `${file}.js`)).href);
  const [{ createLimiter, definePolicy }, { ioredisStore }, { rateLimit }] = await Promise.all(
    ['index', 'stores', framework].map(load),
  );
  const { client } = await connect(redisUrl);
  const store = ioredisStore(client);
  const secret = 'the benchmark has no secrets, but 32 characters';
  return {
    client,
    /** @type {{ path: string, callers: Callers, middleware: any }[]} */
    ours: OURS.flatMap((name) => {
      const limiter = createLimiter({
        ...{ store, secret, prefix: `${prefix}${name}:`, cacheDenials: name === 'known' },
      });
      return callersOf(windows).map(([callers, window]) => ({
        path: `/${name}/${callers}`,
        callers,
        middleware: (/** @type {(request: any) => object} */ subjects) =>
          rateLimit({
            limiter,
            policy: definePolicy({ name: callers, levels: [{ level: 'user', ...window }] }),
            subjects,
          }),
      }));
    }),
  };
}

/**
 * @param {typeof windows} all
 * @returns {[Callers, { limit: number, windowMs: number }][]}
 */
export function callersOf({ open, full }) {
  return [
    ['open', open],
    ['full', full],
  ];
}
