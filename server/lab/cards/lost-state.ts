import type { Card } from './card';
import { naiveBucket } from './naive-bucket';

/** Refills 10 tokens in 10 minutes, but its key expires after 60 s. The load is ten calls every 61 s. */
export const lostState: Card = {
  group: 'buckets',
  limit: 10,
  windowMs: 600_000,
  calls: Array.from({ length: 90 }, (_, index) => ({ at: Math.floor(index / 10) * 61_000 + (index % 10) })),
  inOrder: true,
  async naive({ now }, { key, script, expire }) {
    const [allowed] = await script(naiveBucket, [key('bucket')], [10, 1 / 60, now]);
    expire(key('bucket'), 60_000);
    return allowed === 1;
  },
  text: {
    en: {
      title: 'A bucket that loses its state',
      naive: 'A bucket of ten minutes in a key of one minute',
      tip: '<card>State that expires too early</card> gives the caller a full set of tokens again. Keep it until the bucket has refilled.',
      why: 'The key of the bucket expires after 60 seconds, but the bucket needs ten minutes to refill. After a pause of a minute its state is gone, and a bucket without state is full. In Floodgate, the script that writes a state also sets its lifetime, which is longer than the window.',
      fact: 'A tutorial says that the key of a bucket lives for 60 seconds. Measured in nine minutes: {naive.admitted} calls admitted. Floodgate admitted {product.admitted} and refused {product.refused}.',
    },
    zh: {
      title: '丢失状态的桶',
      naive: '十分钟的桶，一分钟的键',
      tip: '<card>状态过早过期</card>会让令牌提前恢复到满额。应保留到令牌自然补满为止。',
      why: '桶的键 60 秒后过期，而桶需要十分钟才能补满。停顿一分钟后状态就丢失了，没有状态的桶就是满的。在 Floodgate 中，写入状态的脚本同时设置其有效期，且总比窗口更长。',
      fact: '教程说桶的键保留 60 秒。九分钟内实测放行 {naive.admitted} 次；Floodgate 放行 {product.admitted} 次，拒绝 {product.refused} 次。',
    },
  },
};
