import { addFirst } from '../naive-log';
import { atLeast, type Card } from './card';

const limit = 5;
const windowMs = 10_000;

/** A log that also records refused calls. The load is one caller who calls twice a second for four windows. */
export const selfExtendingBlock: Card = {
  group: 'time',
  limit,
  windowMs,
  calls: Array.from({ length: 80 }, (_, index) => ({ at: index * 500 })),
  async naive({ now, index }, { client, key, send }) {
    const call = { client, key: key('add-first'), now, windowMs, limit, member: `${now}-${index}` };
    const { count, blockingHitAt } = await addFirst(call, send);
    const retryAfterMs = blockingHitAt === undefined ? 0 : blockingHitAt + windowMs - now;
    return { allowed: count <= limit, remaining: Math.max(0, limit - count), retryAfterMs };
  },
  figure: ({ admitted }, product) => atLeast(admitted, product.admitted),
  text: {
    en: {
      title: 'A refusal that extends itself',
      naive: 'Add first, count afterwards',
      tip: '<card>Add first, count afterwards</card> never admits a caller who keeps retrying. Charge admitted calls only.',
      why: 'If each call is added before the count, refused calls use up the limit as well. A caller who keeps retrying fills the window with refusals and is never admitted again, whatever the countdown says. In Floodgate, refused calls charge nothing: a caller who keeps retrying is admitted as soon as one who waits.',
      verdicts: { wrong: 'never admitted again', right: 'admitted again' },
      fact: 'A tutorial says that calls slip through if a call is added before the count. Measured: the opposite, {naive.admitted} calls admitted instead of {product.admitted}.',
    },
    zh: {
      title: '自我延长的拒绝',
      naive: '先写入，后计数',
      tip: '<card>先写入后计数</card>会让不断重试的调用方再也不被放行。只对放行的请求扣减。',
      why: '如果先写入再计数，被拒绝的请求也会占用额度。不断重试的调用方会用被拒绝的请求填满窗口，无论倒计时显示什么，都再也不会被放行。在 Floodgate 中，被拒绝的请求不扣减额度：不断重试的调用方与耐心等待的调用方同时恢复。',
      verdicts: { wrong: '再也不会放行', right: '恢复放行' },
      fact: '教程说先写入会漏过请求。实测恰好相反：只放行 {naive.admitted} 次，本应放行 {product.admitted} 次。',
    },
  },
};
