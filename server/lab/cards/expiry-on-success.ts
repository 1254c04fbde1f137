import { atLeast, type Card } from './card';

const addFirst = `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3])
return redis.call('ZCARD', KEYS[1])`;

/** A script that adds first and sets the expiry of admitted calls only. The load: one caller, twice a second for a minute. */
export const expiryOnSuccess: Card = {
  group: 'time',
  limit: 5,
  windowMs: 10_000,
  calls: Array.from({ length: 120 }, (_, index) => ({ at: index * 500 })),
  inOrder: true,
  async naive({ now, index }, { key, script, expire }) {
    const [count = 0] = await script(addFirst, [key('log')], [now, 10_000, index]);
    if (count <= 5) expire(key('log'), 10_000);
    return count <= 5;
  },
  figure: ({ admitted }, product) => atLeast(admitted, product.admitted),
  text: {
    en: {
      title: 'A refusal that ends with its key',
      naive: 'Add first, EXPIRE only on success',
      tip: '<card>EXPIRE only on success</card> refuses until the key is gone. Let each hit leave on its own.',
      why: 'Refused calls fill the log here as well, but they do not extend its expiry. So the refusals end when the key expires, one window after the last admitted call, although room frees one window after the first. In Floodgate, each hit leaves the window on its own.',
      verdicts: { wrong: 'refused too long', right: 'admitted in time' },
      fact: 'A tutorial says that one script makes these commands exact. Measured: {naive.admitted} calls admitted in a minute instead of {product.admitted}. With EXPIRE on every call, it would be the first 5 only.',
    },
    zh: {
      title: '键过期才结束的拒绝',
      naive: '先写入，仅放行时设置 EXPIRE',
      tip: '<card>仅放行时设置 EXPIRE</card> 会一直拒绝到键过期。让每次命中到期后各自失效。',
      why: '被拒绝的请求同样会占满日志，但不会延长键的有效期。因此要等到最后一次放行的一个窗口之后、键过期时，才会重新放行，而额度早在第一次放行的一个窗口之后就已空出。在 Floodgate 中，每次命中各自离开窗口。',
      verdicts: { wrong: '拒绝过久', right: '按时放行' },
      fact: '教程说放进一个脚本就准确了。实测：一分钟内放行 {naive.admitted} 次，本应放行 {product.admitted} 次。若每次请求都设置 EXPIRE，则只放行最初 5 次。',
    },
  },
};
