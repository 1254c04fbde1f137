import { atLeast, type Card, countAdmitted } from './card';
import { naiveBucket } from './naive-bucket';

const windowMs = 10_000;
const users = Array.from({ length: 60 }, (_, n) => ({ at: 100 + n * 150, caller: `user-${n % 20}` }));
const pulses = Array.from({ length: 300 }, (_, n) => ({ at: Math.floor(n / 60) * 2_000, caller: 'pulse' }));

/** One token bucket for all. The load is 20 users who call three times, and a caller who sends 60 calls every two seconds. */
export const pulseStarves: Card = {
  group: 'buckets',
  limit: 40,
  windowMs,
  calls: [...pulses, ...users].toSorted((one, other) => one.at - other.at),
  naive: async ({ now }, { key, script }) =>
    (await script(naiveBucket, [key('bucket')], [40, 4, now]))[0] === 1,
  levels: [{ level: 'user', limit: 5, windowMs }],
  subjects: ({ caller }) => ({ user: caller }),
  figure: (side) =>
    atLeast(
      countAdmitted(side, ({ caller }) => caller !== 'pulse'),
      users.length,
    ),
  text: {
    en: {
      title: 'A pulse that starves the others',
      naive: 'One token bucket for everyone',
      why: 'A caller who sends a pulse takes all tokens that have gathered, and comes back when there are new ones. The total is right, but the calls of all other users are refused. With a limit per user, as Floodgate has it in the same decision, a pulse uses up only the tokens of its sender.',
      verdicts: { wrong: 'others starve', right: 'others are served' },
    },
    zh: {
      title: '脉冲让别人抢不到',
      naive: '所有人共用一个令牌桶',
      why: '发送脉冲的调用方一次拿走全部积攒的令牌，等有了新令牌再来。总量没有超，其他用户的请求却被拒绝。Floodgate 在同一次判定中还有每个用户的限额，脉冲只会用掉发送者自己的额度。',
      verdicts: { wrong: '其他用户抢不到', right: '其他用户不受影响' },
    },
  },
};
