import { atMost, type Card } from './card';

const [limit, windowMs] = [5, 60_000];

/** Adds hits without an expiry. The load: each of 20 users once, and after an hour the first only reads its empty log. */
export const zombieKeys: Card = {
  group: 'keys',
  limit,
  windowMs,
  calls: [...Array(20).keys(), 3_600].map((n) => ({ at: n * 1_000, caller: `user-${n % 20}` })),
  inOrder: true,
  async naive({ now, at, caller, index }, { client, key, send }) {
    const log = key(`log:${caller}`);
    await send(client.zremrangebyscore(log, '-inf', now - windowMs));
    if (at > windowMs || (await send(client.zcard(log))) >= limit) return false;
    return (await send(client.zadd(log, now, `${now}-${index}`))) === 1;
  },
  levels: [{ level: 'user', limit, windowMs }],
  figure: ({ keysForEver }) => atMost(keysForEver, { of: 0, counts: 'keysForEver' }),
  text: {
    en: {
      title: 'Keys that stay for ever',
      naive: 'A log without EXPIRE',
      tip: '<card>Keys without an expiry</card> stay for ever. Set it in the script that writes. An empty key does not exist.',
      why: 'Old hits are deleted by the next call of the same user, and many users never come back. So their keys stay for ever, one for each user. In Floodgate, every script that writes a key also sets its expiry.',
      verdicts: { wrong: 'keys never expire', right: 'every key expires' },
      fact: 'A tutorial says that an empty sorted set still takes memory. Measured: {naive.keysLeft} of {naive.keys} keys are left, because Redis deletes a key with its last member. What stays are the logs that no call empties.',
    },
    zh: {
      title: '永不过期的键',
      naive: '没有 EXPIRE 的日志',
      tip: '<card>没有过期时间的键</card>会一直留存。应在写入的脚本中设置。空键并不存在。',
      why: '旧的命中要等同一用户下次请求时才删除，而许多用户再也不会回来。于是他们的键永远留在 Redis 中，每人一个。在 Floodgate 中，写入键的脚本同时设置过期时间。',
      verdicts: { wrong: '有键永不过期', right: '所有键都会过期' },
      fact: '教程说空的有序集合仍占内存。实测：{naive.keys} 个键剩下 {naive.keysLeft} 个，因为最后一个成员删除时，Redis 就删除了键。真正占内存的是再也没人清理的日志。',
    },
  },
};
