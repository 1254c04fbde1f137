import type { Card } from './card';

const limit = 5;
const windowMs = 1_000;

/** Counts by a value of the request. The load is one caller with 100 calls, each with another forged header. */
export const chosenKey: Card = {
  group: 'keys',
  limit,
  windowMs,
  calls: Array.from({ length: 100 }, (_, index) => ({
    at: index * 5,
    caller: 'peer',
    target: `10.0.0.${index}`,
  })),
  naive: async ({ target }, { key, countCall }) =>
    (await countCall(key(`forwarded-for:${target}`), windowMs)) <= limit,
  levels: [{ level: 'ip', limit, windowMs }],
  text: {
    en: {
      title: 'A key that the caller chooses',
      naive: 'The key is X-Forwarded-For, or the first argument',
      tip: '<card>A key from the request</card> lets the caller choose an unused one. Count by user or by trusted address.',
      why: 'Anyone can send any header and any argument. A caller who changes the value with each call gets a new window each time and is never limited. Floodgate reads the address from the proxies that you trust, and backs every limit by input with one by address or shopper.',
      fact: 'A tutorial says that X-Forwarded-For has the address of the caller. Measured: {naive.admitted} of 100 calls admitted in half a second, with {naive.keys} keys in Redis, and {product.admitted} calls with Floodgate.',
    },
    zh: {
      title: '由调用方选择的键',
      naive: '以 X-Forwarded-For 或第一个参数为键',
      tip: '<card>键取自请求内容</card>时，调用方总能换一个没用过的。应按用户或可信地址计数。',
      why: '任何人都可以发送任意请求头和参数。每次换一个值，就每次得到一个新窗口，永远不会被限流。Floodgate 只从可信代理读取地址，并为每个按参数计数的限额再加一个按地址或用户的限额。',
      fact: '教程说 X-Forwarded-For 就是调用方的地址。实测：半秒内 100 次请求放行 {naive.admitted} 次，Redis 中多出 {naive.keys} 个键；Floodgate 放行 {product.admitted} 次。',
    },
  },
};
