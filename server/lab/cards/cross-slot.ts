import { countSlots, refuseCrossSlot } from '../key-slot';
import { atMost, type Card } from './card';

const counters = `
local user, all = redis.call('GET', KEYS[1]) or 0, redis.call('GET', KEYS[2]) or 0
if tonumber(user) >= 3 or tonumber(all) >= 5 then return 0 end
return redis.call('INCR', KEYS[1]) and redis.call('INCR', KEYS[2]) and 1`;
const levelOf = (level: 'user' | 'global', limit: number) => ({ level, limit, windowMs: 10_000 });

/** Charges two counters whose keys share no hash tag, in one script. The load is two users who call alternately. */
export const crossSlot: Card = {
  group: 'keys',
  limit: 5,
  windowMs: 10_000,
  calls: Array.from({ length: 8 }, (_, n) => ({ at: n * 100, caller: `user-${n % 2}` })),
  naive: async ({ caller = '' }, { scatteredKey: key, script }) =>
    (await script(counters, [key(caller), key('everyone')], []).catch(refuseCrossSlot))[0] === 1,
  levels: [levelOf('user', 3), levelOf('global', 5)],
  figure: ({ keyNames }) => atMost(countSlots(keyNames), { of: 1, counts: 'slots' }),
  text: {
    en: {
      title: 'Keys in different cluster slots',
      naive: 'Two keys without a hash tag',
      tip: '<card>Keys without a hash tag</card> work until Redis becomes a cluster. Give the keys of a decision one tag.',
      why: 'A script that charges a user limit and a global limit needs two keys, which can be in different slots of a cluster. Redis then refuses the script with CROSSSLOT, but only after the move to a cluster. Floodgate gives all keys of a decision the same hash tag, so they share a slot.',
      verdicts: { wrong: 'refused by a cluster', right: 'runs on a cluster' },
      fact: 'A tutorial says that a cluster refuses such keys. Measured: the script admitted {naive.admitted} of 8 calls (none on a cluster), the product {product.admitted}.',
    },
    zh: {
      title: '键分布在不同的集群槽',
      naive: '两个没有哈希标签的键',
      tip: '<card>没有哈希标签的键</card>在改用集群后才会出错。同一次判定的键应使用相同标签。',
      why: '同时扣减用户上限和全局上限的脚本需要两个键，它们在集群中可能位于不同的槽。Redis 会以 CROSSSLOT 拒绝该脚本，而且迁移到集群之后才会暴露。Floodgate 为同一次判定的所有键加上相同的哈希标签，使它们位于同一个槽。',
      verdicts: { wrong: '集群会拒绝执行', right: '可在集群上运行' },
      fact: '教程说集群会拒绝这样的键。实测：8 次请求脚本放行 {naive.admitted} 次（集群上为 0 次），Floodgate 放行 {product.admitted} 次。',
    },
  },
};
