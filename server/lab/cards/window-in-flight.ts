import { type Card, countRunning } from './card';

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
  figure(side) {
    const value = countRunning(side);
    return { value, of: limit, isOk: value <= limit };
  },
  text: {
    en: {
      title: 'A window for calls in flight',
      naive: 'Two calls in 5 s, and each call takes 20 s',
      why: 'A window counts how many calls start, and returns their units while they still run. So slow calls pile up behind it, and the database runs more of them at the same time than the limit says. In Floodgate, a level with `concurrent` holds a lease for each call until its end, or until the lease expires because its node died.',
      measured: ({ naive, product }) =>
        `Measured: at most ${countRunning(naive)} calls at the same time behind the window, ${countRunning(product)} with Floodgate.`,
    },
    zh: {
      title: '用窗口限制并发',
      naive: '5 秒内最多 2 次，每次耗时 20 秒',
      why: '窗口只统计请求何时开始，请求还在执行时额度就已恢复。慢请求因此越积越多，同时执行的数量远超上限。在 Floodgate 中，`concurrent` 层级为每个请求保留一份租约，直到请求结束，或节点崩溃后租约到期。',
      measured: ({ naive, product }) =>
        `实测：使用窗口时最多同时执行 ${countRunning(naive)} 个请求，Floodgate 最多 ${countRunning(product)} 个。`,
    },
  },
};
