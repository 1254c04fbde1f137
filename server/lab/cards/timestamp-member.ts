import { addFirst } from '../naive-log';
import type { Card } from './card';

const limit = 10;
const windowMs = 10_000;

/** Uses the time as the member of a sorted set. The load is 100 calls in one millisecond. */
export const timestampMember: Card = {
  group: 'atomicity',
  limit,
  windowMs,
  calls: Array.from({ length: 100 }, () => ({ at: 0 })),
  async naive({ now }, { client, key, send }) {
    const { count } = await addFirst(
      { client, key: key('log'), now, windowMs, limit, member: `${now}` },
      send,
    );
    return count <= limit;
  },
  text: {
    en: {
      title: 'Timestamps as members',
      naive: 'The timestamp as the member of a sorted set',
      tip: '<card>The timestamp as member</card> counts all calls of a millisecond once. Make members unique.',
      why: 'A sorted set stores each member once, so all calls of one millisecond share one member if it is their timestamp. Each of them is admitted, but only one is counted: tests rarely reveal this, but a flash sale has many calls in each millisecond. Floodgate stores every hit, even at the same time.',
      fact: 'A tutorial says that calls of one millisecond overwrite each other. Measured: {naive.admitted} of 100 calls admitted, with one hit in the log.',
    },
    zh: {
      title: '用时间戳作为成员',
      naive: '用时间戳作为有序集合的成员',
      tip: '<card>用时间戳作为成员</card>会把同一毫秒的请求只计一次。成员必须唯一。',
      why: '有序集合中每个成员只存一份，如果成员是毫秒时间戳，同一毫秒的所有请求就共用一个成员。每次都放行，却只计一次：测试很难发现这个问题，而抢购时每一毫秒都有大量请求。Floodgate 会记录每一次命中，即使时间相同。',
      fact: '教程说同一毫秒的请求会相互覆盖。实测：100 次请求放行 {naive.admitted} 次，日志中只有一次命中。',
    },
  },
};
