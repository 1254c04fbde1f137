import { connect } from './connect.mjs';

/**
 * The upper bound of any script: one key, no argument, `return 1`.
 *
 * @type {import('./contender.mjs').Contender}
 */
export const ceiling = {
  name: 'EVALSHA return 1',
  about: 'decides nothing: one round trip to Redis',
  needs: [],
  isOurs: false,
  async open({ redisUrl, prefix }) {
    const { client, stop } = await connect(redisUrl);
    client.defineCommand('benchCeiling', { numberOfKeys: 1, lua: 'return 1' });
    const run = Reflect.get(client, 'benchCeiling');
    return { stop, decide: async ([subject]) => (await run.call(client, prefix + subject)) === 1 };
  },
};
