import type { Card } from './card';

const limit = 10;
const windowMs = 10_000;

/** Reads, compares, then increments. The node that sends the first INCR dies before EXPIRE. */
export const getThenIncr: Card = {
  group: 'atomicity',
  limit,
  windowMs,
  // 100 calls at once, whose commands interleave, then ten calls three windows later.
  calls: Array.from({ length: 110 }, (_, index) => ({ at: index < 100 ? 0 : 3 * windowMs + index })),
  async naive(_call, { client, key, send }) {
    const counter = key('counter');
    if (Number(await send(client.get(counter))) >= limit) return false;
    await send(client.incr(counter));
    return true;
  },
  text: {
    en: {
      title: 'GET, then INCR',
      naive: 'A counter read and written by two commands',
      tip: '<card>GET, then INCR</card> races too, and a crash before EXPIRE refuses for good. Increment first, in a script.',
      why: 'Between GET and INCR, other calls read the same count, so calls that come together all pass. If the node dies between INCR and EXPIRE, the counter has no lifetime and refuses for ever. Floodgate reads, charges and sets the lifetime in one script, which Redis runs as a whole or not at all.',
      fact: 'A tutorial says that this counter keeps the limit of 10. Measured: {naive.admitted} of 100 calls at once pass, and half a minute later {naive.refused} of 10 are refused. With Floodgate, {product.admitted} pass: 10 each time.',
    },
    zh: {
      title: '先 GET 后 INCR',
      naive: '用两条命令读写计数器',
      tip: '<card>先读再自增（GET、INCR）</card>同样会竞争；在 EXPIRE 之前崩溃会永久封死。应在脚本中先自增。',
      why: '在 GET 与 INCR 之间，其他请求读到同样的计数，同时到达的请求会全部通过。如果节点在 INCR 与 EXPIRE 之间崩溃，计数器就没有有效期，从此永远拒绝。Floodgate 在一个脚本中读取、扣减并设置有效期，Redis 要么整体执行，要么不执行。',
      fact: '教程说这个计数器能守住 10 次的上限。实测：同时到达的 100 次通过 {naive.admitted} 次，半分钟后的 10 次拒绝 {naive.refused} 次。Floodgate 共通过 {product.admitted} 次，两批各 10 次。',
    },
  },
};
