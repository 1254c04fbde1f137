import { byPlan } from '../../limiter';
import { atLeast, type Card, countAdmitted } from './card';

const windowMs = 60_000;
const callers = ['free', 'vip'];
const planOf = (caller: string | undefined) => (caller === 'vip' ? 'vip' : 'free');

/** Has one limit for all plans. The load is 30 calls by a free user and 30 by a VIP, who pays for 20 a minute. */
export const onePlan: Card = {
  group: 'keys',
  limit: 20,
  windowMs,
  calls: Array.from({ length: 60 }, (_, n) => ({ at: n * 100, caller: callers[n % 2] ?? 'free' })),
  inOrder: true,
  naive: async ({ caller }, { key, countCall }) => (await countCall(key(`user:${caller}`), windowMs)) <= 5,
  levels: [
    { level: 'user', windowMs, limit: byPlan({ free: 5, vip: 20 }, ({ context }) => planOf(context.caller)) },
  ],
  subjects: ({ caller }) => ({ user: caller }),
  figure: (side) =>
    atLeast(
      countAdmitted(side, ({ caller }) => caller === 'vip'),
      20,
    ),
  text: {
    en: {
      title: 'One limit for all plans',
      naive: 'Five calls a minute for every caller',
      why: 'The limiter takes its number from the code, not from the caller. So a limit that protects the free plan refuses those who pay, and one that suits them gives the free plan four times its share. In Floodgate, `byPlan` reads the number of each call from its plan, without another round trip.',
      verdicts: { wrong: 'the VIP is refused', right: 'the VIP has 20' },
    },
    zh: {
      title: '所有套餐共用一个上限',
      naive: '不论是谁，每分钟 5 次',
      why: '上限写在代码里，与调用方无关。适合免费套餐的上限会拒绝付费用户，适合付费用户的上限又让免费套餐得到四倍额度。Floodgate 的 `byPlan` 按调用方的套餐取值，不增加往返。',
      verdicts: { wrong: 'VIP 被拒绝', right: 'VIP 有 20 次' },
    },
  },
};
