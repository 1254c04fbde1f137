/** The upper bounds of any limiter on Redis, and the limiters of tutorials. */
import type { Redis } from 'ioredis';
import { type Contender, checkInSequence, connect } from './contender';

/** The upper bound of any script: one key, no argument, `return 1`. */
export const ceiling: Contender = {
  name: 'EVALSHA return 1',
  about: 'decides nothing: one round trip to Redis',
  async open({ redisUrl, prefix }) {
    const run = defineScript((await connect(redisUrl)).client, 'return 1');
    return { decide: async ([subject]) => (await run(`${prefix}${subject}`)) === 1 };
  },
};

/** The sliding log of many tutorials: four sequential commands, the caller's clock, the timestamp as member. */
export const fourCommands: Contender = {
  name: 'tutorial, four commands',
  about:
    'sequential ZREMRANGEBYSCORE, ZCARD, ZADD, PEXPIRE on the caller’s clock; the timestamp is the member',
  async open({ redisUrl, prefix, levels }) {
    const { client } = await connect(redisUrl);
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => async (subject) => {
      const key = `${prefix}${index}:${subject}`;
      const now = Date.now();
      await client.zremrangebyscore(key, 0, now - windowMs);
      if ((await client.zcard(key)) >= limit) return false;
      await client.zadd(key, now, String(now));
      await client.pexpire(key, windowMs);
      return true;
    });
    return { decide };
  },
};

/** The same log in one script with unique members, as in many tutorials. */
export const tutorialLua: Contender = {
  name: 'tutorial, Lua',
  about: 'the same four commands in one script on the caller’s clock, with a unique member for each hit',
  async open({ redisUrl, prefix, levels }) {
    const run = defineScript(
      (await connect(redisUrl)).client,
      `
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`,
    );
    let hits = 0;
    const decide = checkInSequence(levels, ({ limit, windowMs }, index) => async (subject) => {
      const now = Date.now();
      hits += 1;
      const member = `${now}-${process.pid}-${hits}`;
      return (await run(`${prefix}${index}:${subject}`, now, windowMs, limit, member)) === 1;
    });
    return { decide };
  },
};

/** Defines a script with one key on a client, and returns the function that calls it. */
function defineScript(client: Redis, lua: string): (...args: (string | number)[]) => Promise<unknown> {
  client.defineCommand('benchScript', { numberOfKeys: 1, lua });
  const run = Reflect.get(client, 'benchScript');
  return (...args) => run.call(client, ...args);
}
