import { connect } from './connect.mjs';
import { checkInSequence } from './contender.mjs';

const lua = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/**
 * The same log in one script with unique members, as in many tutorials.
 *
 * @type {import('./contender.mjs').Contender}
 */
export const tutorialLua = {
  name: 'tutorial, Lua',
  about: 'the same four commands in one script on the caller’s clock, with a unique member for each hit',
  needs: [],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const { client, stop } = await connect(redisUrl);
    client.defineCommand('benchTutorial', { numberOfKeys: 1, lua });
    const run = Reflect.get(client, 'benchTutorial');
    const node = process.pid;
    let hits = 0;
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => async (subject) => {
      const now = Date.now();
      hits += 1;
      const member = `${now}-${node}-${hits}`;
      return (await run.call(client, `${prefix}${index}:${subject}`, now, windowMs, limit, member)) === 1;
    });
    return { decide, stop };
  },
};
