import { expect, test } from 'vitest';
import type { Order } from '../orders/order';
import { createWaitingCalls } from './waiting-calls';

const order: Order = { id: 'one', couponId: 'coupon', userId: 'ada', status: 'confirmed', createdAt: 1 };

test('every call that waits for an order gets it, also when another one has ended its expectation', async () => {
  const calls = createWaitingCalls();
  const [first, second, third] = [calls.expect('one'), calls.expect('one'), calls.expect('one')];
  const waiting = [first.settled(10_000), second.settled(10_000)];
  third.cancel();
  calls.tell([order, { ...order, id: 'other' }]);
  expect(await Promise.all(waiting)).toEqual([order, order]);
});

test('an order that is settled before the call waits is there at once', async () => {
  const calls = createWaitingCalls();
  const expectation = calls.expect('one');
  calls.tell([order]);
  expect(await expectation.settled(10_000)).toEqual(order);
});

test('a call whose order is not settled ends after its time; another call for that order waits on', async () => {
  const calls = createWaitingCalls();
  const [longer, shorter] = [calls.expect('one'), calls.expect('one')];
  const waiting = longer.settled(10_000);
  expect(await shorter.settled(1)).toBeUndefined();
  calls.tell([order]);
  expect(await waiting).toEqual(order);
});
