import { atLeast, type Card } from './card';

const [limit, windowMs, banMs] = [3, 10_000, 20_000];

/** Counts violations and bans at the third, but keeps their count. The load: 6 calls, 4 after the ban, 3 after their window. */
export const banAgain: Card = {
  group: 'punishment',
  limit,
  windowMs,
  calls: [0, 1, 2, 3, 4, 5, 25_000, 25_001, 25_002, 25_003, 36_000, 36_001, 36_002].map((at) => ({ at })),
  inOrder: true,
  async naive(_call, { client, key, send, countCall }) {
    if (await send(client.exists(key('ban')))) return false;
    if ((await countCall(key('calls'), windowMs)) <= limit) return true;
    if ((await send(client.incr(key('violations')))) >= 3) await countCall(key('ban'), banMs);
    return false;
  },
  levels: [{ level: 'user', limit, windowMs, punishment: { warnAt: 2, banAt: 3, banMs } }],
  figure: ({ admitted }, product) => atLeast(admitted, product.admitted),
  text: {
    en: {
      title: 'A block that blocks again',
      naive: 'The violations outlive the block',
      tip: '<card>A block that keeps its violations</card> blocks again at the first refusal. The end of a block must clear them.',
      why: 'The block ends, but the violations that caused it are still counted. So the next refusal is the fourth violation, and one call too many blocks again. In Floodgate, the end of a block clears the violations of its caller, who starts anew.',
      verdicts: { wrong: 'blocked again by one call', right: 'starts anew' },
      fact: 'A tutorial says that a block lasts for its time. Measured: the first refusal after it blocks again, so {naive.admitted} calls are admitted instead of {product.admitted}.',
    },
    zh: {
      title: '接连不断的封禁',
      naive: '封禁结束，违规次数仍在',
      tip: '<card>封禁后不清除违规</card>会在第一次被拒绝时再次封禁。封禁结束时应一并清除。',
      why: '封禁结束了，导致封禁的违规次数却没有清零。下一次被拒绝就是第四次违规，只多一次请求便再次封禁。在 Floodgate 中，封禁结束时会清除该调用方的违规次数，重新开始。',
      verdicts: { wrong: '一次请求再次封禁', right: '重新开始' },
      fact: '教程说封禁到时即解除。实测：解除后第一次被拒绝就再次封禁，共放行 {naive.admitted} 次，本应放行 {product.admitted} 次。',
    },
  },
};
