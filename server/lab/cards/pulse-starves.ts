import { type Card, type CardCall, servedAtLeast } from './card';
import { naiveBucket } from './naive-bucket';

const isUser = ({ caller }: CardCall) => caller !== 'pulse';
const users = Array.from({ length: 60 }, (_, n) => ({ at: 100 + n * 150, caller: `user-${n % 20}` }));
const pulses = Array.from({ length: 300 }, (_, n) => ({ at: Math.floor(n / 60) * 2_000, caller: 'pulse' }));

/** One token bucket for all. The load is 20 users who call three times, and a caller who sends 60 calls every two seconds. */
export const pulseStarves: Card = {
  group: 'buckets',
  limit: 40,
  windowMs: 10_000,
  calls: [...pulses, ...users].toSorted((one, other) => one.at - other.at),
  naive: async ({ now }, { key, script }) => (await script(naiveBucket, [key('all')], [40, 4, now]))[0] === 1,
  levels: [{ level: 'user', limit: 5, windowMs: 10_000 }],
  figure: servedAtLeast(isUser, users.length),
  groupOf: (call) => (isUser(call) ? 1 : 0),
  text: {
    en: {
      title: 'A pulse that starves the others',
      naive: 'One token bucket for everyone',
      tip: '<card>A shared bucket</card> is emptied by the pulse of one caller. Add a level per user.',
      why: 'A caller who sends a pulse takes all tokens that have gathered, and comes back when there are new ones. The total is right, but other users are refused as long as the bucket is empty. With a limit per user, as Floodgate has it in the same decision, a pulse uses up only the tokens of its sender.',
      verdicts: { wrong: 'others are refused', right: 'others are served' },
      groups: ['The pulse', 'The 20 users'],
      fact: 'A tutorial says that a pulse leaves other users without tokens. Measured: {naive.figure} of the users’ 60 calls admitted, {product.figure} with a limit per user.',
    },
    zh: {
      title: '突发请求让别人抢不到',
      naive: '所有人共用一个令牌桶',
      tip: '<card>共用的桶</card>会被一个调用方的脉冲耗尽。应再加一层用户限额。',
      why: '发送脉冲的调用方一次拿走全部积攒的令牌，等有了新令牌再来。总量没有超，但桶空的时候，其他用户的请求都被拒绝。Floodgate 在同一次判定中还有每个用户的限额，脉冲只会用掉发送者自己的额度。',
      verdicts: { wrong: '其他用户被拒绝', right: '其他用户不受影响' },
      groups: ['脉冲', '20 位用户'],
      fact: '教程说脉冲会让其他用户拿不到令牌。实测：用户的 60 次请求放行 {naive.figure} 次，按用户限流时放行 {product.figure} 次。',
    },
  },
};
