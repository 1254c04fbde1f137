import { type Card, servedAtLeast } from './card';

const limit = 5;
const windowMs = 60_000;

/** Charges failed calls like all others. The load is one call a second; the first eight fail in an outage behind the limit. */
export const failuresCharged: Card = {
  group: 'failure',
  limit,
  windowMs,
  calls: Array.from({ length: 20 }, (_, n) => ({ at: n * 1_000, runMs: 500, hasFailed: n < 8 })),
  inOrder: true,
  naive: async (_call, { key, countCall }) => (await countCall(key('user'), windowMs)) <= limit,
  levels: [{ level: 'user', limit, windowMs }],
  settle: (outcome) => (outcome.ok ? outcome.cost : 0),
  figure: servedAtLeast(({ hasFailed }) => !hasFailed, limit),
  text: {
    en: {
      title: 'Failed calls use up the limit',
      naive: 'Every call is charged, whatever its result',
      tip: '<card>Charging failed calls</card> uses up the limit for nothing. Return the unit, except for guesses.',
      why: 'The limit is charged before the call, and nothing returns the unit if the call fails. So an outage of five calls uses up the minute, and the user gets nothing. In Floodgate, settle returns the unit after a failure, which is right for work that was not done, but never for a wrong password.',
      verdicts: { wrong: 'paid for nothing', right: 'paid for results' },
      fact: 'No tutorial returns a unit. Measured: {naive.figure} calls served in the minute of the outage, {product.figure} with Floodgate.',
    },
    zh: {
      title: '失败的请求耗尽额度',
      naive: '不论结果如何，每次请求都扣减',
      tip: '<card>失败的请求也扣减</card>会白白耗尽额度。应退还额度，猜测密码除外。',
      why: '请求开始前就已扣减，失败后却不退还。一次故障中的五次请求就用完了这一分钟的额度，用户什么也没得到。Floodgate 的 settle 会在失败后退还额度，这适用于没有完成的工作，但绝不能用于密码错误。',
      verdicts: { wrong: '白白扣减', right: '按结果扣减' },
      fact: '教程都不退还额度。实测：发生故障的这一分钟内成功 {naive.figure} 次，使用 Floodgate 时成功 {product.figure} 次。',
    },
  },
};
