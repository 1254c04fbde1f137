import { connect } from './connect.mjs';
import { checkInSequence } from './contender.mjs';

/**
 * The sliding log of many tutorials: four sequential commands, the caller's clock, the timestamp as member.
 *
 * @type {import('./contender.mjs').Contender}
 */
export const fourCommands = {
  name: 'tutorial, four commands',
  about:
    'sequential ZREMRANGEBYSCORE, ZCARD, ZADD, PEXPIRE on the caller’s clock; the timestamp is the member',
  needs: [],
  isOurs: false,
  async open({ redisUrl, prefix, levels }) {
    const { client, stop } = await connect(redisUrl);
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => async (subject) => {
      const key = `${prefix}${index}:${subject}`;
      const now = Date.now();
      await client.zremrangebyscore(key, 0, now - windowMs);
      if ((await client.zcard(key)) >= limit) return false;
      await client.zadd(key, now, String(now));
      await client.pexpire(key, windowMs);
      return true;
    });
    return { decide, stop };
  },
};
