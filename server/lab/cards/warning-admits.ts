import type { Card } from './card';

const limit = 5;
const windowMs = 60_000;

/** Warns from the third violation and bans at the fifth, but its warning is a result that admits. The load is ten calls. */
export const warningAdmits: Card = {
  group: 'punishment',
  limit,
  windowMs,
  calls: Array.from({ length: 10 }, (_, index) => ({ at: index * 100 })),
  inOrder: true,
  async naive(_call, { key, countCall }) {
    const violation = (await countCall(key('calls'), windowMs)) - limit;
    return violation <= 0 || violation === 3 || violation === 4;
  },
  levels: [{ level: 'user', limit, windowMs, punishment: { warnAt: 3, banAt: 5, banMs: 1_800_000 } }],
  text: {
    en: {
      title: 'A warning that admits',
      naive: 'The warning is a kind of success',
      tip: '<card>A warning that admits</card> is a limit that is not enforced. A warning is a refusal with a message.',
      why: 'The result type has three values: success, warning, refusal, and the caller of the limiter only stops at a refusal. So a caller who has just been warned for too many calls is let in. In Floodgate, a warning is a field of a refusal.',
      fact: 'A tutorial says: calls 1 to 5 pass, 6 and 7 are refused, 8 and 9 are warned, 10 is blocked. Measured: {naive.admitted} calls pass, the limit is 5.',
    },
    zh: {
      title: '会放行的警告',
      naive: '警告也算成功',
      tip: '<card>警告却放行</card>等于没有限流。警告应是带提示的拒绝。',
      why: '结果有三种：成功、警告、拒绝，而调用限流器的代码只在拒绝时停止。于是刚因请求过多而被警告的人反而被放行。在 Floodgate 中，警告只是拒绝结果中的一个字段。',
      fact: '教程说：第 1～5 次通过，第 6、7 次拒绝，第 8、9 次警告，第 10 次封禁。实测：通过 {naive.admitted} 次，上限为 5。',
    },
  },
};
