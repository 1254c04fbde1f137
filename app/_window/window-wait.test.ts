import { expect, test } from 'vitest';
import type { PolicyRefusal } from './refusals';
import { waitAfter } from './window-wait';

// The server's clock is at 100 000 and the monotonic clock at 5 000.
const at = { now: 100_000, elapsed: 5_000 };

const claims = {
  ...{ policy: 'coupon.claim', level: 'user', algorithm: 'sliding-log', mode: 'enforce' },
  ...{ limit: 3, windowMs: 60_000, readAt: 99_000 },
};
// The oldest hit leaves at 80 000 + 60 000 = 140 000.
const full = { ...claims, used: 3, hits: [80_000, 81_000, 82_000] };
const roomy = { ...claims, used: 2, hits: [81_000, 82_000] };
const refusal: PolicyRefusal = {
  ...{ policy: 'coupon.claim', level: 'user', algorithm: 'sliding-log', limit: 3, windowMs: 60_000 },
  ...{ refusedAt: 98_000, retryAfterMs: 42_000, retryAt: 45_200 },
};
const shared = { ...full, policy: 'coupon.seckill', level: 'global' };
const sharedRefusal: PolicyRefusal = { ...refusal, policy: 'coupon.seckill', level: 'global' };

test('a full window of the visitor is a wait until its oldest hit leaves', () => {
  // 140 000 - 100 000 = 40 000 ms from 5 000.
  expect(waitAfter(undefined, full, at)).toMatchObject({
    ...{ policy: 'coupon.claim', level: 'user', refusedAt: 99_000 },
    ...{ retryAfterMs: 40_000, retryAt: 45_000, bannedUntil: undefined, hits: full.hits },
  });
});

test('a ban is a wait until its end, and ends when it is lifted', () => {
  const ban = waitAfter(refusal, { ...full, bannedUntil: 1_000_000 }, at);
  expect(ban).toMatchObject({ retryAt: 905_000, bannedUntil: 1_000_000 });
  expect(waitAfter(ban, roomy, at)).toMatchObject({ retryAt: 5_000, bannedUntil: undefined });
  expect(waitAfter(ban, full, at), 'the window is still full').toMatchObject({
    retryAt: 45_000,
    bannedUntil: undefined,
  });
});

test('a running refusal keeps its details while its window is full', () => {
  expect(waitAfter(refusal, full, at)).toBe(refusal);
});

test.each([
  ['a higher limit', { ...full, limit: 4 }],
  ['a limit that is not enforced', { ...full, mode: 'shadow' }],
  ['a cleared window', { ...full, used: 0, hits: [] }],
  ['hits that have left', { ...full, windowMs: 10_000 }],
])('%s ends the wait', (_name, window) => {
  expect(waitAfter(refusal, window, at)).toEqual({ ...refusal, retryAt: 5_000 });
});

test('a reading from before the refusal does not end the wait', () => {
  expect(waitAfter({ ...refusal, refusedAt: 99_500 }, roomy, at)?.retryAt).toBe(45_200);
});

test('a shorter window shortens the wait, and a lower limit lengthens it', () => {
  // 80 000 + 30 000 - 100 000 = 10 000 ms.
  expect(waitAfter(refusal, { ...full, windowMs: 30_000 }, at)?.retryAt).toBe(15_000);
  // With a limit of 1, all three hits must leave: 82 000 + 60 000 - 100 000 = 42 000 ms.
  expect(waitAfter(refusal, { ...full, limit: 1 }, at)?.retryAt).toBe(47_000);
});

test('a full global window starts and lengthens no wait', () => {
  expect(waitAfter(undefined, shared, at)).toBeUndefined();
  const before = { ...sharedRefusal, retryAt: 20_000 };
  expect(waitAfter(before, shared, at)).toBe(before);
});

test('a global window with room ends the wait', () => {
  expect(waitAfter(sharedRefusal, { ...shared, limit: 4 }, at)?.retryAt).toBe(5_000);
});

test('a window of another level leaves the wait as it is', () => {
  expect(waitAfter(refusal, { ...roomy, level: 'ip' }, at)).toBe(refusal);
});

test('a log far over its limit, whose oldest hits are unknown, leaves the wait as it is', () => {
  expect(waitAfter(refusal, { ...full, used: 300, limit: 100 }, at)).toBe(refusal);
});
