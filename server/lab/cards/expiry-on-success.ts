import { atLeast, type Card } from './card';

const [limit, windowMs] = [5, 10_000];

const addFirst = `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3])
return redis.call('ZCARD', KEYS[1])`;

/** A script that adds first and sets the expiry of admitted calls only. The load: one caller, twice a second for a minute. */
export const expiryOnSuccess: Card = {
  group: 'time',
  limit,
  windowMs,
  calls: Array.from({ length: 120 }, (_, index) => ({ at: index * 500 })),
  inOrder: true,
  async naive({ now, index }, { key, script, expire }) {
    const [count = 0] = await script(addFirst, [key('log')], [now, windowMs, index]);
    if (count <= limit) expire(key('log'), windowMs);
    return count <= limit;
  },
  figure: ({ admitted }, product) => atLeast(admitted, product.admitted),
  text: {
    en: {
      title: 'A refusal that ends with its key',
      naive: 'Add first, EXPIRE only on success',
      why: 'Refused calls fill the log here as well, but they do not extend its expiry. So the refusals end when the key expires, one window after the last admitted call, although room frees one window after the first. In Floodgate, each hit leaves the window on its own.',
      verdicts: { wrong: 'refused too long', right: 'admitted in time' },
      measured: ({ naive, product }) =>
        `Measured: ${naive.admitted} calls admitted in a minute instead of ${product.admitted}. With EXPIRE on every call, it would be the first ${limit} only.`,
    },
    zh: {
      title: '键过期才结束的拒绝',
      naive: '先写入，仅放行时设置 EXPIRE',
      why: '被拒绝的请求同样会占满日志，但不会延长键的有效期。因此要等到最后一次放行的一个窗口之后、键过期时，才会重新放行，而额度早在第一次放行的一个窗口之后就已空出。在 Floodgate 中，每次命中各自离开窗口。',
      verdicts: { wrong: '拒绝过久', right: '按时放行' },
      measured: ({ naive, product }) =>
        `实测一分钟内放行 ${naive.admitted} 次，本应放行 ${product.admitted} 次。若每次请求都设置 EXPIRE，则只放行最初 ${limit} 次。`,
    },
  },
};
