import { naiveLogScript } from '../naive-log-script';
import type { Card } from './card';

/** Deletes old hits by the caller's clock. The load alternates between two nodes, of which one is 5 s ahead. */
export const nodeClock: Card = {
  group: 'time',
  limit: 20,
  windowMs: 10_000,
  calls: Array.from({ length: 300 }, (_, index) => ({
    at: index * 100,
    target: index % 2 ? 'ahead' : 'on time',
  })),
  async naive({ now, index, target }, { key, script }) {
    const clock = target === 'ahead' ? now + 5_000 : now;
    return (await script(naiveLogScript, [key('log')], [clock, 10_000, 20, index]))[0] === 1;
  },
  text: {
    en: {
      title: 'A node with a wrong clock',
      naive: 'Each node uses its own clock',
      why: 'If the caller’s clock decides which hits are old, a node that is five seconds ahead deletes hits that still count for all other nodes. Then too many calls are admitted, by every node. Floodgate reads the time of Redis inside the script: one clock for any number of nodes.',
      measured: ({ naive }) =>
        `The clock of the second node is 5 s ahead. Measured: up to ${naive.worstWindow} calls in 10 s, limit 20.`,
    },
    zh: {
      title: '时钟不准的节点',
      naive: '每个节点使用自己的时钟',
      why: '如果由调用方的时钟判断哪些命中已过期，快了五秒的节点就会删除对其他节点仍然有效的命中。于是所有节点都会放行过多请求。Floodgate 在脚本内读取 Redis 的时间：无论有多少节点，都只有一个时钟。',
      measured: ({ naive }) =>
        `第二个节点的时钟快 5 秒。实测任意 10 秒内最多放行 ${naive.worstWindow} 次，上限为 20。`,
    },
  },
};
