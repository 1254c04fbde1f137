import { atLeast, type Card } from './card';

const bucket = `
local capacity, rate, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local water, last = unpack(redis.call('HMGET', KEYS[1], 'water', 'last'))
water = math.max(0, (tonumber(water) or 0) - math.floor((now - (tonumber(last) or now)) * rate / 1000))
local allowed = water < capacity
redis.call('HSET', KEYS[1], 'water', allowed and water + 1 or water, 'last', now)
return allowed and 1 or 0`;

/** Drains one unit a second, rounded down, and moves its clock with every call. The load is two calls a second. */
export const neverDrains: Card = {
  group: 'buckets',
  limit: 10,
  windowMs: 10_000,
  calls: Array.from({ length: 120 }, (_, index) => ({ at: index * 500 })),
  naive: async ({ now }, { key, script }) => (await script(bucket, [key('bucket')], [10, 1, now]))[0] === 1,
  levels: [{ level: 'global', limit: 10, windowMs: 10_000, algorithm: 'leaky-bucket' }],
  figure: ({ admitted }, product) => atLeast(admitted, product.admitted),
  text: {
    en: {
      title: 'A leaky bucket that never drains',
      naive: 'Whole units leak, and every call moves the clock',
      tip: '<card>Rounding down on every call</card> loses the drained part, so the bucket stays full. Keep the remainder.',
      why: 'The bucket drains floor(elapsed × rate) units and stores the time of every call, refused calls included. If calls come faster than one unit drains, each rounds its share down to zero, so the bucket stays full for ever. Floodgate stores when the last unit drains, to the millisecond, and a refused call changes nothing.',
      verdicts: { wrong: 'never admitted again', right: 'drains' },
      fact: 'A tutorial says one call a second. Measured in one minute: {naive.admitted} calls, all at its start, and {product.admitted} with Floodgate.',
    },
    zh: {
      title: '永远漏不完的漏桶',
      naive: '只漏整数单位，每次请求都更新时间',
      tip: '<card>每次调用都向下取整</card>会丢掉已漏出的部分，桶一直是满的。应保留余数。',
      why: '桶每次漏掉 floor(间隔 × 速率) 个单位，并在每次请求（包括被拒绝的请求）后更新时间。只要请求来得比漏出一个单位更快，每次都舍入为零，桶就永远是满的。Floodgate 以毫秒记录最后一个单位何时漏出，被拒绝的请求不改变任何状态。',
      verdicts: { wrong: '再也不会放行', right: '正常漏出' },
      fact: '教程说每秒 1 次。一分钟内实测放行 {naive.admitted} 次，全部在开头；Floodgate 放行 {product.admitted} 次。',
    },
  },
};
