import type { Card } from './card';

const limit = 20;
const windowMs = 1_000;

/** Admits every call while Redis does not respond. The load is 100 calls at once. */
export const redisDown: Card = {
  group: 'failure',
  limit,
  windowMs,
  isStoreDown: true,
  calls: Array.from({ length: 100 }, () => ({ at: 0 })),
  async naive(_call, { client, key, send }) {
    const count = await send(client.incr(key('calls'))).catch(() => 0);
    return count <= limit;
  },
  text: {
    en: {
      title: 'Redis is down',
      naive: 'open: an error admits the call',
      product: 'Floodgate, closed: an error refuses the call',
      third: 'Floodgate, local: each node counts its share',
      why: 'If an error admits the call, there is no limit during an outage, which a flood can cause itself. If it refuses the call, the limit holds and the service is down with Redis. Floodgate lets each policy choose: closed for the sale, local for reads (each node admits its share from memory), open where a limit is only a courtesy.',
      measured: ({ naive, product, third }) =>
        `A tutorial always admits. Measured with 100 calls at once, limit 20: open ${naive.admitted}, closed ${product.admitted}, local ${third?.admitted}.`,
    },
    zh: {
      title: 'Redis 宕机',
      naive: 'open：出错就放行',
      product: 'Floodgate 的 closed：出错就拒绝',
      third: 'Floodgate 的 local：各节点按份额自行计数',
      why: '如果出错就放行，宕机期间就没有限流，而洪峰本身就可能造成宕机。如果出错就拒绝，上限守住了，服务却随 Redis 一起不可用。Floodgate 由每个策略自行选择：抢购用 closed，读取用 local（各节点在内存中按份额放行），可有可无的限额用 open。',
      measured: ({ naive, product, third }) =>
        `教程总是放行。同时 100 次请求、上限 20 的实测：open ${naive.admitted} 次，closed ${product.admitted} 次，local ${third?.admitted} 次。`,
    },
  },
};
