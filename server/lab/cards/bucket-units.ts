import type { Card } from './card';
import { naiveBucket } from './naive-bucket';

/** Passes limit and window, 10 in 60 s, as capacity and rate per second. The load is 60 calls a second for a minute. */
export const bucketUnits: Card = {
  group: 'buckets',
  limit: 10,
  windowMs: 60_000,
  calls: Array.from({ length: 3_600 }, (_, index) => ({ at: Math.floor((index * 1_000) / 60) })),
  naive: async ({ now }, { key, script }) =>
    (await script(naiveBucket, [key('bucket')], [10, 60, now]))[0] === 1,
  text: {
    en: {
      title: 'A bucket with mixed-up units',
      naive: '10 calls in 60 s, passed as capacity 10 and 60 tokens a second',
      tip: '<card>Limit and window as capacity and rate</card> admit 60 a second instead of 10 a minute. Put units into names.',
      why: 'The script expects a capacity and a rate per second, but its caller passes a limit and a window in seconds. So “10 in 60 seconds” refills 60 tokens a second, 360 times too many, and nothing fails. Floodgate takes a limit and a window in milliseconds and computes the rate itself.',
      fact: 'A tutorial says 10 calls a minute. Measured in one minute: {naive.admitted} calls, and {product.admitted} with Floodgate.',
    },
    zh: {
      title: '单位弄混的令牌桶',
      naive: '“60 秒 10 次”被当成容量 10、每秒 60 个令牌',
      tip: '<card>把上限和窗口当作容量和速率</card>会让每分钟 10 次变成每秒 60 次。应在名称中写明单位。',
      why: '脚本要的是容量和每秒速率，调用方传入的却是次数和以秒计的窗口。于是“60 秒 10 次”变成每秒补充 60 个令牌，是应有的 360 倍，而且没有任何报错。Floodgate 的策略只写次数和以毫秒计的窗口，速率由它自己计算。',
      fact: '教程说每分钟 10 次。一分钟内实测放行 {naive.admitted} 次，Floodgate 放行 {product.admitted} 次。',
    },
  },
};
