import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createOrderId, type PurchaseRequest } from './order';

const one: PurchaseRequest = { kind: 'seckill', couponId: 'coupon', userId: 'ada', requestId: randomUUID() };

test('a request id makes one order id; any other shopper, coupon, kind or id makes another', () => {
  expect(createOrderId(one)).toBe(createOrderId({ ...one }));
  const others: Partial<PurchaseRequest>[] = [
    { userId: 'bob' },
    { couponId: 'other' },
    { kind: 'claim' },
    { requestId: randomUUID() },
  ];
  const ids = [one, ...others.map((other) => ({ ...one, ...other }))].map(createOrderId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('each request without a request id makes its own order', () => {
  const { requestId: _none, ...without } = one;
  expect(createOrderId(without)).not.toBe(createOrderId(without));
});

test('an order id is a UUID of version 8', () => {
  for (let n = 0; n < 50; n += 1) {
    expect(createOrderId({ ...one, requestId: randomUUID() })).toSatisfy(
      (id) => z.uuid({ version: 'v8' }).safeParse(id).success,
    );
  }
});
