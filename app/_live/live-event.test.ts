import { expect, test } from 'vitest';
import { parseLiveEvent } from './live-event';

const window = {
  policy: 'coupon.seckill',
  level: 'global',
  limit: 100,
  windowMs: 10_000,
  used: 1,
  hits: [9_000],
};
const rate = { policy: 'coupon.seckill', level: 'global', refused: 3, banned: 0 };
const event = {
  serverNow: 10_000,
  windows: [window],
  rates: [rate],
  stock: [{ couponId: 'a', remaining: 3 }],
};

test('a valid event is parsed; its windows get the time of the event', () => {
  expect(parseLiveEvent(JSON.stringify(event))).toEqual({
    serverNow: 10_000,
    windows: [{ ...window, readAt: 10_000 }],
    rates: [rate],
    stock: [{ couponId: 'a', remaining: 3 }],
  });
});

test.each([
  ['not JSON', '{'],
  ['not an object', '7'],
  ['no clock', JSON.stringify({ ...event, serverNow: undefined })],
  ['a window without hits', JSON.stringify({ ...event, windows: [{ ...window, hits: undefined }] })],
  ['a hit that is no number', JSON.stringify({ ...event, windows: [{ ...window, hits: ['9000'] }] })],
  ['a rate without a level', JSON.stringify({ ...event, rates: [{}] })],
  ['stock without a coupon', JSON.stringify({ ...event, stock: [{}] })],
])('%s is not an event', (_, text) => {
  expect(parseLiveEvent(text)).toBeUndefined();
});
