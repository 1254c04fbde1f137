import { connect } from './connect.mjs';
import { inTurn } from './contender.mjs';

/**
 * The sliding log of many tutorials: four commands, one after the other, the caller's clock, the instant as member.
 *
 * @type {import('./contender.mjs').Contender}
 */
export const fourCommands = {
  name: 'tutorial, four commands',
  about:
    'ZREMRANGEBYSCORE, ZCARD, ZADD, PEXPIRE, each waited for, by the clock of the caller; the instant is the member',
  needs: [],
  isOurs: false,
  keepsHits: true,
  async open({ redisUrl, prefix, levels }) {
    const { client, stop } = await connect(redisUrl);
    const decide = inTurn(levels, ({ limit, windowMs }, place) => async (subject) => {
      const key = `${prefix}${place}:${subject}`;
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
