import { randomUUID } from 'node:crypto';
import type { Drill, Scene } from '../drill';

const ROUNDS = 40;

interface Hostile {
  description: string;
  path: string;
  body?: string;
  headers?: Record<string, string>;
  /** The allowed statuses. */
  answers: number[];
}

/** No hostile request may exceed the limit or cause a 5xx answer. */
export const hostileRequests: Drill = {
  name: 'hostile-requests',
  description: 'oversized, malformed and mixed batches and bodies, from many callers at once',
  store: { kind: 'cluster' },
  ledgers: ['postgres'],
  async inject({ topology, couponId, cookieOf, note, reportProblem }) {
    const answers = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      const { url } = topology.nodes[round % topology.nodes.length] ?? { url: '' };
      const cookie = cookieOf(`hostile-${round}`);
      await Promise.all(
        hostileRequestsFor({ couponId }).map(async (hostile) => {
          const status = await send(`${url}/api/trpc/${hostile.path}`, hostile, cookie);
          answers.set(String(status), (answers.get(String(status)) ?? 0) + 1);
          if (!hostile.answers.includes(status))
            reportProblem(`${hostile.description} was answered ${status}`);
        }),
      );
    }
    note([...answers].map(([status, count]) => `${count} × ${status}`).join(', '));
  },
};

async function send(url: string, { body, headers }: Hostile, cookie: string): Promise<number> {
  const answer = await fetch(url, {
    ...(body !== undefined && { method: 'POST', body }),
    headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    signal: AbortSignal.timeout(20_000),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/**
 * Lists the requests of one shopper. 207: the items of a batch differ in status. 429: the request reached the limit.
 */
function hostileRequestsFor({ couponId }: Pick<Scene, 'couponId'>): Hostile[] {
  const purchase = (requestId = randomUUID()) => ({ couponId, requestId });
  const batch = (size: number, input: (index: number) => unknown) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, index) => [index, input(index)])));
  const seckills = (size: number) => Array(size).fill('coupon.seckill').join(',');
  const shared = randomUUID();
  return [
    {
      description: 'a batch of 11',
      path: `${seckills(11)}?batch=1`,
      body: batch(11, () => purchase()),
      answers: [400],
    },
    {
      description: 'a batch of 5000 names',
      path: `${Array(500).fill('coupon.list').join(',')}?batch=1`,
      answers: [400, 414, 431],
    },
    {
      description: 'ten purchases in a batch',
      path: `${seckills(10)}?batch=1`,
      body: batch(10, () => purchase()),
      answers: [200, 207, 429],
    },
    {
      description: 'a batch of different procedures',
      path: 'coupon.seckill,order.pay,nothing.there,coupon.claim,limit.update?batch=1',
      body: batch(5, () => purchase()),
      answers: [207, 400, 403, 404, 429],
    },
    {
      description: 'one request id for every hostile shopper',
      path: 'coupon.seckill',
      body: JSON.stringify(purchase(shared)),
      answers: [200, 429],
    },
    {
      description: 'a body of 33 KiB',
      path: 'coupon.seckill',
      body: JSON.stringify({ ...purchase(), more: 'x'.repeat(33 * 1024) }),
      answers: [413],
    },
    { description: 'incomplete JSON', path: 'coupon.seckill', body: '{"couponId":', answers: [400, 429] },
    { description: 'commas', path: `${','.repeat(2_000)}?batch=1`, body: '{}', answers: [400, 404] },
    {
      description: 'prototype keys',
      path: 'coupon.seckill',
      body: `{"__proto__":{"couponId":"${couponId}"},"constructor":{"prototype":{"role":"admin"}}}`,
      answers: [400, 429],
    },
    { description: 'a prototype as a procedure', path: 'constructor.prototype', answers: [404] },
    { description: '__proto__ as a procedure', path: '__proto__', body: '{}', answers: [404] },
    {
      description: 'text instead of JSON',
      path: 'coupon.seckill',
      body: 'couponId=1',
      headers: { 'content-type': 'text/plain' },
      answers: [400, 415, 429],
    },
    {
      description: 'a form instead of JSON',
      path: 'coupon.seckill',
      body: 'couponId=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      answers: [400, 415, 429],
    },
    {
      description: 'a call from another site',
      path: 'coupon.seckill',
      body: JSON.stringify(purchase()),
      headers: { origin: 'https://elsewhere.example' },
      answers: [403],
    },
    {
      description: 'a limit change by a shopper',
      path: 'limit.update',
      body: '{"limit":1000}',
      answers: [403],
    },
    { description: 'a mutation by GET', path: 'coupon.seckill', answers: [405] },
  ];
}
