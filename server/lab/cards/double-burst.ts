import type { Card } from './card';

const limit = 50;
const windowMs = 10_000;

/** A counter per fixed window. The load is a full limit just before the edge of a window, and one just after it. */
export const doubleBurst: Card = {
  group: 'time',
  limit,
  windowMs,
  calls: Array.from({ length: 2 * limit }, (_, index) => ({ at: windowMs - limit + index })),
  async naive({ at }, { key, countCall }) {
    const count = await countCall(key(`window:${Math.floor(at / windowMs)}`), windowMs);
    return { allowed: count <= limit, remaining: Math.max(0, limit - count) };
  },
  text: {
    en: {
      title: 'Twice the limit at the edge',
      naive: 'A counter per fixed window',
      tip: '<card>A fixed window</card> admits twice the limit around its edge. Let the window slide.',
      why: 'A counter that starts at zero in each fixed window ignores the previous window. It admits the full limit right before the edge and again right after it: twice the limit within moments. A sliding log has no edges, because it counts back from each call.',
      fact: 'A tutorial says that a fixed window admits twice the limit around its edge. Measured: {naive.worstWindow} calls in 10 s, and {product.worstWindow} with Floodgate.',
    },
    zh: {
      title: '边界处的双倍突发',
      naive: '每个固定窗口一个计数器',
      tip: '<card>固定窗口</card>在边界前后会放行两倍。应让窗口滑动。',
      why: '计数器在每个固定窗口从零开始，不考虑前一个窗口。它在边界之前放行整个上限，边界之后再次放行整个上限，瞬间就放行了两倍的请求。滑动日志没有边界，每次请求都往前推算。',
      fact: '教程说固定窗口在边界前后会放行两倍的请求。实测：任意 10 秒内最多放行 {naive.worstWindow} 次，Floodgate 最多 {product.worstWindow} 次。',
    },
  },
};
