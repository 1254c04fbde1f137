import type { Card } from './card';

/** Admits every call while Redis does not respond. The load is 100 calls at once, half of them on each of two nodes. */
export const redisDown: Card = {
  group: 'failure',
  limit: 20,
  windowMs: 1_000,
  isStoreDown: true,
  calls: Array.from({ length: 100 }, (_, n) => ({ at: 0, target: `node-${n % 2}` })),
  async naive(_call, { client, key, send }) {
    const count = await send(client.incr(key('calls'))).catch(() => 0);
    return count <= 20;
  },
  groupOf: ({ target }) => (target === 'node-1' ? 1 : 0),
  text: {
    en: {
      title: 'Redis is down',
      naive: 'Open, as in the tutorial: every call is admitted',
      product: 'Floodgate, closed: every call is refused',
      third: 'Floodgate, local: each of two nodes admits half of the limit',
      groups: ['First node', 'Second node'],
      tip: '<card>No plan for a Redis that is down</card> admits everything or nothing. Choose per limit: closed, local or open.',
      why: 'If an error admits the call, there is no limit during an outage, which a flood can cause itself. If it refuses the call, the limit holds and the service is down with Redis. Floodgate lets each policy choose: closed for the sale, local for reads (each node admits its share from memory), open where a limit is only a courtesy.',
      fact: 'A tutorial says: if Redis fails, admit the call. Measured with 100 calls at once, limit 20: open {naive.admitted}, closed {product.admitted}, local {third.admitted}.',
    },
    zh: {
      title: 'Redis 宕机',
      naive: '全部放行（open，教程的做法）',
      product: 'Floodgate 全部拒绝（closed）',
      third: 'Floodgate 单机计数（local）：两个节点各放行上限的一半',
      groups: ['第一个节点', '第二个节点'],
      tip: '<card>没有考虑 Redis 不可用</card>会全部放行或全部拒绝。应为每个限额选择：拒绝、单机计数或放行。',
      why: '如果出错就放行，宕机期间就没有限流，而洪峰本身就可能造成宕机。如果出错就拒绝，上限守住了，服务却随 Redis 一起不可用。Floodgate 由每个策略自行选择：抢购全部拒绝（closed），读取由各节点在内存中按份额放行（local），可有可无的限额全部放行（open）。',
      fact: '教程说 Redis 出错时一律放行。同时 100 次请求、上限 20 的实测：全部放行（open）时放行 {naive.admitted} 次，全部拒绝（closed）时 {product.admitted} 次，单机计数（local）时 {third.admitted} 次。',
    },
  },
};
