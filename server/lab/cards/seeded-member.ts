import type { Card } from './card';

const log = `
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZCARD', KEYS[1]) >= limit then return 0 end
math.randomseed(now)
redis.call('ZADD', KEYS[1], now, now .. '-' .. math.random(1000000))
return 1`;

/** Seeds the random part of its member with the time. The load is 20 calls in each of three milliseconds. */
export const seededMember: Card = {
  group: 'atomicity',
  limit: 10,
  windowMs: 10_000,
  calls: Array.from({ length: 60 }, (_, index) => ({ at: Math.floor(index / 20) })),
  naive: async ({ now }, { key, script }) => (await script(log, [key('log')], [now, 10_000, 10]))[0] === 1,
  text: {
    en: {
      title: 'The same random member',
      naive: 'math.randomseed(now), then math.random',
      tip: '<card>A random number seeded with the time</card> is the same for all calls of a millisecond. Do not seed.',
      why: 'A random number seeded with the time is a function of the time. All calls of one millisecond get the same member, so each is admitted and only one is counted. Floodgate stores a count for each millisecond instead of a member for each call.',
      fact: 'A tutorial says that the random number keeps members apart. Measured: {naive.admitted} calls admitted, with 3 members in the log.',
    },
    zh: {
      title: '相同的随机成员',
      naive: '先 math.randomseed(now)，再 math.random',
      tip: '<card>以时间为种子的随机数</card>在同一毫秒内完全相同。不要设置种子。',
      why: '以时间为种子的随机数只取决于时间。同一毫秒的所有请求得到同一个成员，每次都放行，却只计一次。Floodgate 按毫秒存储次数，而不是为每次请求存储一个成员。',
      fact: '教程说随机数能区分成员。实测：放行 {naive.admitted} 次，日志中只有 3 个成员。',
    },
  },
};
