import { naiveLogScript } from '../naive-log-script';
import type { Card } from './card';

/** Deletes old hits by the caller's clock. The load alternates between two nodes, of which one is 5 s ahead. */
export const nodeClock: Card = {
  group: 'time',
  limit: 20,
  windowMs: 10_000,
  calls: Array.from({ length: 300 }, (_, n) => ({ at: n * 100, target: n % 2 ? 'ahead' : 'on time' })),
  async naive({ now, index, target }, { key, script }) {
    const clock = target === 'ahead' ? now + 5_000 : now;
    return (await script(naiveLogScript, [key('log')], [clock, 10_000, 20, index]))[0] === 1;
  },
  text: {
    en: {
      title: 'A node with a wrong clock',
      naive: 'Each node uses its own clock',
      tip: '<card>The caller’s clock</card> deletes hits that still count. Read the time of Redis.',
      why: 'If the caller’s clock decides which hits are old, a node that is five seconds ahead deletes hits that still count for all other nodes. Then too many calls are admitted, by every node. Floodgate reads the time of Redis inside the script: one clock for any number of nodes.',
      fact: 'A tutorial says that the application passes its own time to the script. Measured with one of two clocks 5 s ahead: up to {naive.worstWindow} calls in 10 s, limit 20.',
    },
    zh: {
      title: '时钟不准的节点',
      naive: '每个节点使用自己的时钟',
      tip: '<card>调用方的时钟</card>会删除仍然有效的命中。应读取 Redis 的时间。',
      why: '如果由调用方的时钟判断哪些命中已过期，快了五秒的节点就会删除对其他节点仍然有效的命中。于是所有节点都会放行过多请求。Floodgate 在脚本内读取 Redis 的时间：无论有多少节点，都只有一个时钟。',
      fact: '教程说由应用把自己的时间传给脚本。两个节点之一快 5 秒时，实测任意 10 秒内最多放行 {naive.worstWindow} 次，上限为 20。',
    },
  },
};
