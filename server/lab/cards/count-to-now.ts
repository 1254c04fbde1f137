import type { Card } from './card';

const log = `
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZCOUNT', KEYS[1], now - window, now) >= limit then return 0 end
redis.call('ZADD', KEYS[1], now, ARGV[4])
return 1`;

/** Counts hits up to the caller's own time. The load alternates between two nodes, of which one is 5 s ahead. */
export const countToNow: Card = {
  group: 'time',
  limit: 20,
  windowMs: 10_000,
  calls: Array.from({ length: 300 }, (_, n) => ({ at: n * 100, target: n % 2 ? 'ahead' : 'on time' })),
  async naive({ now, index, target }, { key, script }) {
    const clock = target === 'ahead' ? now + 5_000 : now;
    return (await script(log, [key('log')], [clock, 10_000, 20, index]))[0] === 1;
  },
  text: {
    en: {
      title: 'Hits from the future',
      naive: 'ZCOUNT from the start of the window to now',
      tip: '<card>Counting up to now</card> misses the hits of a faster clock. Count all hits that remain.',
      why: 'ZCOUNT ends at the time of the node that counts. Hits of a node whose clock is ahead lie in its future, so it does not see them and admits more. Floodgate uses one clock, that of Redis, and counts every hit in the log.',
      fact: 'A tutorial says that this script is the optimised one. Measured with one of two clocks 5 s ahead: up to {naive.worstWindow} calls in 10 s, limit 20.',
    },
    zh: {
      title: '时间戳超前的请求',
      naive: '用 ZCOUNT 从窗口起点数到当前时间',
      tip: '<card>只计到当前时刻</card>会漏掉时钟较快的节点的命中。应统计留存的全部命中。',
      why: 'ZCOUNT 只数到当前节点的时间为止。时钟偏快的节点写入的命中位于它的“未来”，它看不到，于是多放行。Floodgate 只用 Redis 一个时钟，并计入日志中的所有命中。',
      fact: '教程说这个脚本是“优化版”。两个节点之一快 5 秒时，实测任意 10 秒内最多放行 {naive.worstWindow} 次，上限为 20。',
    },
  },
};
