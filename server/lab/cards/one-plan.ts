import { byPlan } from '../../limiter/index';
import { type Card, type CardCall, servedAtLeast } from './card';

const windowMs = 60_000;
const isVip = ({ caller }: CardCall) => caller === 'vip';
const planOf = ({ context }: { context: CardCall }) => (isVip(context) ? 'vip' : 'free');

/** Has one limit for all plans. The load is 30 calls by a free user and 30 by a VIP, who pays for 20 a minute. */
export const onePlan: Card = {
  group: 'keys',
  limit: 20,
  windowMs,
  calls: Array.from({ length: 60 }, (_, n) => ({ at: n * 100, caller: n % 2 ? 'vip' : 'free' })),
  naive: async ({ caller }, { key, countCall }) => (await countCall(key(`user:${caller}`), windowMs)) <= 5,
  levels: [{ level: 'user', windowMs, limit: byPlan({ free: 5, vip: 20 }, planOf) }],
  figure: servedAtLeast(isVip, 20),
  groupOf: (call) => (isVip(call) ? 1 : 0),
  text: {
    en: {
      title: 'One limit for all plans',
      naive: 'Five calls a minute for every caller',
      tip: '<card>One limit for all plans</card> refuses those who pay, or protects nothing. Read the limit from the plan.',
      why: 'The limiter takes its number from the code, not from the caller. So a limit that protects the free plan refuses those who pay, and one that suits them gives the free plan four times its share. In Floodgate, byPlan reads the number of each call from its plan, without another round trip.',
      verdicts: { wrong: 'the VIP is refused', right: 'the VIP has 20' },
      groups: ['Free plan', 'VIP'],
      fact: 'No tutorial has plans. Measured: {naive.figure} calls of the VIP admitted in a minute, {product.figure} with Floodgate.',
    },
    zh: {
      title: '所有套餐共用一个上限',
      naive: '不论是谁，每分钟 5 次',
      tip: '<card>所有套餐共用一个上限</card>会拒绝付费用户，或起不到保护作用。应按套餐取上限。',
      why: '上限写在代码里，与调用方无关。适合免费套餐的上限会拒绝付费用户，适合付费用户的上限又让免费套餐得到四倍额度。Floodgate 的 byPlan 按调用方的套餐取值，不增加往返。',
      verdicts: { wrong: 'VIP 被拒绝', right: 'VIP 有 20 次' },
      groups: ['免费套餐', 'VIP'],
      fact: '教程都没有区分套餐。实测：一分钟内放行 VIP {naive.figure} 次，Floodgate 放行 {product.figure} 次。',
    },
  },
};
