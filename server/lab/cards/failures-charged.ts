import { atLeast, type Card, countAdmitted } from './card';

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
  figure: (side) =>
    atLeast(
      countAdmitted(side, ({ hasFailed }) => !hasFailed),
      limit,
    ),
  text: {
    en: {
      title: 'Failed calls use up the limit',
      naive: 'Every call is charged, whatever its result',
      why: 'The limit is charged before the call, and nothing returns the unit if the call fails. So an outage of five calls uses up the minute, and the user gets nothing. In Floodgate, `settle` returns the unit after a failure, which is right for work that was not done, but never for a wrong password.',
      verdicts: { wrong: 'paid for nothing', right: 'paid for results' },
    },
    zh: {
      title: '失败的请求耗尽额度',
      naive: '不论结果如何，每次请求都扣减',
      why: '请求开始前就已扣减，失败后却不退还。一次故障中的五次请求就用完了这一分钟的额度，用户什么也没得到。Floodgate 的 `settle` 会在失败后退还额度，这适用于没有完成的工作，但绝不能用于密码错误。',
      verdicts: { wrong: '白白扣减', right: '按结果扣减' },
    },
  },
};
