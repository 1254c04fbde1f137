import { addHit, countHits } from '../naive-log';
import type { Card } from './card';

const limit = 10;
const windowMs = 10_000;

/** Deletes old hits, counts, compares and adds, each by a command of its own. The load is 100 calls at once, of one address. */
export const fourCommands: Card = {
  group: 'atomicity',
  limit,
  windowMs,
  calls: Array.from({ length: 100 }, () => ({ at: 0 })),
  async naive({ now, index }, { client, key, send }) {
    const call = { client, key: key('log'), now, windowMs, member: `${now}-${index}` };
    const allowed = (await countHits(call, send)) < limit;
    if (allowed) await addHit(call, send);
    return allowed;
  },
  text: {
    en: {
      title: 'A race between four commands',
      naive: 'Four separate commands',
      tip: '<card>Four commands</card> race between count and add. Send one script.',
      why: 'Delete old hits, count, compare, add: each command is correct, but between the count and the add, other calls see the same free room and take it as well. So calls that come together all pass. Floodgate sends one script that checks and charges in a single step, and Redis runs one script at a time.',
      fact: 'A tutorial says that commands are safe for a limit per IP address, because each address has its own key. Measured: one address races itself, {naive.admitted} of 100 calls pass.',
    },
    zh: {
      title: '四条命令之间的竞争',
      naive: '四条单独的命令',
      tip: '<card>四条命令</card>在计数与写入之间会竞争。应只发送一个脚本。',
      why: '删除旧记录、计数、比较、写入：每条命令都正确，但在计数与写入之间，其他请求会看到同样的余量，并同样占用它。于是同时到达的请求全部通过。Floodgate 只发送一个脚本，一步完成检查和扣减，而 Redis 同一时间只运行一个脚本。',
      fact: '教程说按 IP 限流时键各不相同，所以多条命令也安全。实测：同一个 IP 与自己竞争，100 次请求通过 {naive.admitted} 次。',
    },
  },
};
