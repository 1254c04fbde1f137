import { createHash } from 'node:crypto';
import { naiveLogScript } from '../naive-log-script';
import type { Card } from './card';

/** A number below 100,000 from a hash, so that each run has the same collisions. */
const randomOf = (index: number) => createHash('sha1').update(`${index}`).digest().readUInt32BE() % 100_000;

/** Keeps the members of a millisecond apart by a random number below 100,000. The load is 2,000 calls in one millisecond. */
export const randomMember: Card = {
  group: 'atomicity',
  limit: 1_900,
  windowMs: 10_000,
  calls: Array.from({ length: 2_000 }, () => ({ at: 0 })),
  async naive({ now, index }, { key, script }) {
    const [allowed] = await script(
      naiveLogScript,
      [key('log')],
      [now, 10_000, 1_900, `${now}:${randomOf(index)}`],
    );
    return allowed === 1;
  },
  text: {
    en: {
      title: 'Random members that collide',
      naive: 'The time and a random number up to 100,000',
      tip: '<card>A random number of five digits</card> repeats after some hundred calls of a millisecond. Use a counter.',
      why: 'Few random numbers are needed until two are equal: of 400 calls in a millisecond, one pair is likely. Each pair is one member, so each is one call too many. Floodgate needs no random numbers, because it counts the calls of each millisecond.',
      fact: 'A tutorial says that the time and a random number make a member unique. Measured with 2,000 calls in one millisecond: {naive.admitted} admitted, {product.admitted} with Floodgate.',
    },
    zh: {
      title: '会重复的随机成员',
      naive: '时间加 10 万以内的随机数',
      tip: '<card>五位随机数</card>在同一毫秒的数百次请求中就会重复。应改用计数器。',
      why: '随机数不需要很多就会重复：同一毫秒的 400 次请求中，很可能有一对相同。每重复一次就少计一次，也就多放行一次。Floodgate 按毫秒计数，不需要随机数。',
      fact: '教程说时间加随机数能让成员唯一。同一毫秒 2,000 次请求的实测：放行 {naive.admitted} 次，Floodgate 放行 {product.admitted} 次。',
    },
  },
};
