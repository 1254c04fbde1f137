import type { Card } from './card';

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
    await send(client.zadd(log, now, `${now}-${index}`));
    return true;
  },
  levels: [{ level: 'user', limit, windowMs }],
  subjects: ({ caller }) => ({ user: caller }),
  figure: ({ keysForEver }) => ({ value: keysForEver, of: 0, isOk: keysForEver === 0 }),
  text: {
    en: {
      title: 'Keys that stay for ever',
      naive: 'A log without EXPIRE',
      why: 'Old hits are deleted by the next call of the same user, and many users never come back. So their keys stay for ever, one for each user. In Floodgate, every script that writes a key also sets its expiry.',
      verdicts: { wrong: 'keys never expire', right: 'every key expires' },
      measured: ({ naive }) =>
        `A tutorial says that an empty sorted set still takes memory. Measured: ${naive.keysLeft} of ${naive.keyNames.length} keys are left, because Redis deletes a key with its last member. What stays are the logs that no call empties.`,
    },
    zh: {
      title: '永不过期的键',
      naive: '没有 EXPIRE 的日志',
      why: '旧的命中要等同一用户下次请求时才删除，而许多用户再也不会回来。于是他们的键永远留在 Redis 中，每人一个。在 Floodgate 中，写入键的脚本同时设置过期时间。',
      verdicts: { wrong: '有键永不过期', right: '所有键都会过期' },
      measured: ({ naive }) =>
        `教程说空的有序集合仍占内存。实测 ${naive.keyNames.length} 个键剩下 ${naive.keysLeft} 个：最后一个成员删除时，Redis 就删除了键。真正占内存的是再也没人清理的日志。`,
    },
  },
};
