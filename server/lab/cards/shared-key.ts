import { type Card, type CardCall, servedAtLeast } from './card';

const windowMs = 60_000;
const own = (limit: number) => [{ level: 'user' as const, limit, windowMs }];
const isClaim = ({ target }: CardCall) => target === 'claim';

/** Builds the key from the user alone, without the method. The load is one user who reads 20 times, then claims 3 times. */
export const sharedKey: Card = {
  group: 'keys',
  limit: 3,
  windowMs,
  calls: Array.from({ length: 23 }, (_, n) => ({ at: n * 100, target: n < 20 ? 'read' : 'claim' })),
  naive: async (call, { key, countCall }) =>
    (await countCall(key('user:ada'), windowMs)) <= (isClaim(call) ? 3 : 20),
  levelsByTarget: { read: own(20), claim: own(3) },
  figure: servedAtLeast(isClaim, 3),
  groupOf: (call) => (isClaim(call) ? 1 : 0),
  text: {
    en: {
      title: 'Two methods, one window',
      naive: 'The key has the user’s id, but not the method',
      tip: '<card>A key without the method</card> makes two methods share a window. Name the limit in its key.',
      why: 'Two methods that build their key from the same expression count in the same window. Reading uses up the claims, although each method has a limit of its own. In Floodgate, the key of a window begins with the name of its policy, which is the path of the procedure.',
      verdicts: { wrong: 'claims refused', right: 'all claims admitted' },
      groups: ['Reads', 'Claims'],
      fact: 'A tutorial says that an expression over the arguments is enough for a key. Measured: {naive.figure} of 3 claims admitted after 20 reads, {product.figure} with Floodgate.',
    },
    zh: {
      title: '两个方法，一个窗口',
      naive: '键里有用户 ID，没有方法名',
      tip: '<card>键中没有方法名</card>会让两个方法共用一个窗口。键中应包含限额的名称。',
      why: '两个方法用同一个表达式生成键，就会计入同一个窗口。浏览会用掉领取的次数，尽管两者各有各的上限。在 Floodgate 中，窗口的键以策略名开头，也就是过程的路径。',
      verdicts: { wrong: '领取被拒绝', right: '领取全部放行' },
      groups: ['浏览', '领取'],
      fact: '教程说用参数表达式作为键就够了。实测：浏览 20 次之后，3 次领取放行 {naive.figure} 次，Floodgate 放行 {product.figure} 次。',
    },
  },
};
