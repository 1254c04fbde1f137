import { atMost, type Card, countRunning } from './card';

const limit = 2;
const windowMs = 5_000;
const runMs = 20_000;

/** Limits reports that run for 20 s by a window of 5 s. The load is one call a second, for half a minute. */
export const windowInFlight: Card = {
  group: 'time',
  limit,
  windowMs,
  calls: Array.from({ length: 30 }, (_, index) => ({ at: index * 1_000, runMs })),
  inOrder: true,
  naive: async (_call, { key, countCall }) => (await countCall(key('user'), windowMs)) <= limit,
  levels: [{ level: 'user', concurrent: limit, leaseMs: 30_000 }],
  figure: (side) => atMost(countRunning(side), { of: limit, counts: 'running' }),
  text: {
    en: {
      title: 'A window for calls in flight',
      naive: 'Two calls in 5 s, and each call takes 20 s',
      tip: '<card>A window for slow calls</card> lets them pile up. Limit the calls in flight.',
      why: 'A window counts how many calls start, and returns their units while they still run. So slow calls pile up behind it, and the database runs more of them at the same time than the limit says. In Floodgate, a level with concurrent holds a lease for each call until its end, or until the lease expires because its node died.',
      fact: 'No tutorial limits calls in flight. Measured: at most {naive.figure} calls at the same time behind the window, {product.figure} with Floodgate.',
    },
    zh: {
      title: '用窗口限制并发',
      naive: '5 秒内最多 2 次，每次耗时 20 秒',
      tip: '<card>用窗口限制慢请求</card>会让它们越积越多。应限制同时执行的数量。',
      why: '窗口只统计请求何时开始，请求还在执行时额度就已恢复。慢请求因此越积越多，同时执行的数量远超上限。在 Floodgate 中，concurrent 层级为每个请求保留一份租约，直到请求结束，或节点崩溃后租约到期。',
      fact: '教程都没有限制并发。实测：使用窗口时最多同时执行 {naive.figure} 个请求，Floodgate 最多 {product.figure} 个。',
    },
  },
};
