import { atLeast, type Card } from './card';

const limit = 3;
const windowMs = 60_000;

/** Counts everyone without an account as "anonymous". The load is 30 visitors with one call each. */
export const anonymous: Card = {
  group: 'keys',
  limit,
  windowMs,
  calls: Array.from({ length: 30 }, (_, index) => ({ at: index * 100, caller: `visitor-${index}` })),
  naive: async (_call, { key, countCall }) => (await countCall(key('user:anonymous'), windowMs)) <= limit,
  levels: [{ level: 'ip', limit, windowMs }],
  figure: ({ admitted }, product) => atLeast(admitted, product.admitted),
  text: {
    en: {
      title: 'Everyone is anonymous',
      naive: 'The user id of a visitor without an account is “anonymous”',
      tip: '<card>One key for all who are not signed in</card> refuses everyone together. Use the address, or refuse.',
      why: 'The function that returns the user’s id returns “anonymous” for everyone who is not signed in. So all visitors share one window, and three of them lock out all others for a minute. In Floodgate, a level without its subject is an error at the first call, unless the policy states what to count instead.',
      verdicts: { wrong: 'all share one window', right: 'each has a window' },
      fact: 'A tutorial says that a visitor without an account is “anonymous”. Measured: {naive.admitted} of 30 visitors admitted, {product.admitted} with Floodgate.',
    },
    zh: {
      title: '所有访客共用一个 ID',
      naive: '未登录用户的 ID 一律为 “anonymous”',
      tip: '<card>所有未登录者共用一个键</card>会让大家一起被拒绝。应按地址计数，或直接拒绝。',
      why: '取用户 ID 的函数对所有未登录的人都返回 “anonymous”。于是所有访客共用一个窗口，三个人就能让其他人一分钟内都进不来。在 Floodgate 中，缺少计数对象时第一次请求就会报错，除非策略写明改按什么计数。',
      verdicts: { wrong: '所有人共用一个窗口', right: '各有各的窗口' },
      fact: '教程说未登录的访客就是 “anonymous”。实测：30 位访客放行 {naive.admitted} 位，Floodgate 放行 {product.admitted} 位。',
    },
  },
};
