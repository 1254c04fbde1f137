import { shared } from '../../limiter/index';
import type { Card } from './card';

const windowMs = 10_000;
const targets = ['browse', 'pay'];
const system = shared<unknown>('shop', { level: 'global', limit: 20, windowMs });
const own = { level: 'user', limit: 15, windowMs } as const;

/** Limits each of two methods to 15 in 10 s, but the system behind both takes 20. The load is 40 calls in 4 s. */
export const unsharedLimits: Card = {
  group: 'keys',
  limit: 20,
  windowMs,
  calls: Array.from({ length: 40 }, (_, n) => ({ at: n * 100, target: targets[n % 2] ?? 'pay' })),
  naive: async ({ target = '' }, { key, countCall }) => (await countCall(key(target), windowMs)) <= 15,
  groupOf: ({ target }) => (target === 'pay' ? 1 : 0),
  levelsByTarget: { browse: [own, system], pay: [own, system] },
  text: {
    en: {
      title: 'Each within its limit, together above',
      groups: ['Browsing', 'Paying'],
      naive: 'Each method has a limit of its own',
      tip: '<card>Separate limits</card> add up to more than the system takes. Put one limit over all of them.',
      why: 'Two methods use one database, and each counts only its own calls. Both stay within 15, but together they send 30 to a system that takes 20. In Floodgate, a shared level counts the calls of several policies in one window, in the same decision as their own levels.',
      fact: 'No tutorial shares a limit between methods. Measured: {naive.worstWindow} calls in 10 s behind two limits of 15, {product.worstWindow} with Floodgate.',
    },
    zh: {
      title: '各自未超限，合计已超限',
      groups: ['浏览', '支付'],
      naive: '每个方法各有上限',
      tip: '<card>各自独立的上限</card>合计会超过系统的承受能力。应在它们之上再加一个共同的上限。',
      why: '两个方法使用同一个数据库，却只统计自己的请求。各自都没超过 15 次，合计却向只能承受 20 次的系统发送了 30 次。Floodgate 的 shared 层级把多个策略的请求计入同一个窗口，并与各自的层级在同一次判定中完成。',
      fact: '教程都没有让多个方法共用上限。实测：两个各 15 次的上限在 10 秒内共放行 {naive.worstWindow} 次，Floodgate 放行 {product.worstWindow} 次。',
    },
  },
};
