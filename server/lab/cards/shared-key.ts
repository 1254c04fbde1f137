import { atLeast, type Card, type CardCall, countAdmitted } from './card';

const windowMs = 60_000;
const limits = { read: 20, claim: 3 };
const isClaim = ({ target }: CardCall) => target === 'claim';

/** Builds the key from the user alone, without the method. The load is one user who reads 20 times, then claims 3 times. */
export const sharedKey: Card = {
  group: 'keys',
  limit: limits.claim,
  windowMs,
  calls: Array.from({ length: 23 }, (_, n) => ({ at: n * 100, target: n < 20 ? 'read' : 'claim' })),
  inOrder: true,
  async naive(call, { key, countCall }) {
    return (await countCall(key('user:ada'), windowMs)) <= (isClaim(call) ? limits.claim : limits.read);
  },
  levels: Object.entries(limits).map(([level, limit]) => ({ level, limit, windowMs, by: () => undefined })),
  subjects: (call) => (isClaim(call) ? { read: null, claim: 'ada' } : { read: 'ada', claim: null }),
  figure: (side) => atLeast(countAdmitted(side, isClaim), limits.claim),
  text: {
    en: {
      title: 'Two methods, one window',
      naive: 'The key has the user’s id, but not the method',
      why: 'Two methods that build their key from the same expression count in the same window. Reading uses up the claims, although each method has a limit of its own. In Floodgate, the key of a window begins with the name of its policy, which is the path of the procedure.',
      verdicts: { wrong: 'claims refused', right: 'all claims admitted' },
    },
    zh: {
      title: '两个方法，一个窗口',
      naive: '键里有用户 ID，没有方法名',
      why: '两个方法用同一个表达式生成键，就会计入同一个窗口。浏览会用掉领取的次数，尽管两者各有各的上限。在 Floodgate 中，窗口的键以策略名开头，也就是过程的路径。',
      verdicts: { wrong: '领取被拒绝', right: '领取全部放行' },
    },
  },
};
