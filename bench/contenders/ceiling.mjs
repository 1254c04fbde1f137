import { connect } from './connect.mjs';

/**
 * What no script can be faster than: one key, no argument, `return 1`.
 *
 * @type {import('./contender.mjs').Contender}
 */
export const ceiling = {
  name: 'EVALSHA return 1',
  about: 'decides nothing: the way to Redis and back',
  needs: [],
  isOurs: false,
  keepsHits: false,
  async open({ redisUrl, prefix }) {
    const { client, stop } = await connect(redisUrl);
    client.defineCommand('benchCeiling', { numberOfKeys: 1, lua: 'return 1' });
    const run = Reflect.get(client, 'benchCeiling');
    return { stop, decide: async ([subject]) => (await run.call(client, prefix + subject)) === 1 };
  },
};
