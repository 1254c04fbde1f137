import { expect, test } from 'vitest';
import type { Order } from '../order';
import { createWaitingCalls } from './settled-orders';

const order: Order = { id: 'one', couponId: 'coupon', userId: 'ada', status: 'confirmed', createdAt: 1 };

test('every call that waits for an order gets it, also after another call has stopped waiting', async () => {
  const calls = createWaitingCalls();
  const [first, second, third] = [calls.add('one'), calls.add('one'), calls.add('one')];
  const waiting = [first.waitForOrder(10_000), second.waitForOrder(10_000)];
  third.cancel();
  calls.notify([order, { ...order, id: 'other' }]);
  expect(await Promise.all(waiting)).toEqual([order, order]);
});

test('an order that is settled before the call waits is there at once', async () => {
  const calls = createWaitingCalls();
  const expectation = calls.add('one');
  calls.notify([order]);
  expect(await expectation.waitForOrder(10_000)).toEqual(order);
});

test('a call whose order is not settled ends after its time; another call for that order waits on', async () => {
  const calls = createWaitingCalls();
  const [longer, shorter] = [calls.add('one'), calls.add('one')];
  const waiting = longer.waitForOrder(10_000);
  expect(await shorter.waitForOrder(1)).toBeUndefined();
  calls.notify([order]);
  expect(await waiting).toEqual(order);
});
