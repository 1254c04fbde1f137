import { expect, test } from 'vitest';
import type { WindowState } from '../_trpc/types';
import { applyLiveLimits, hasOtherLimits } from './own-windows';

const window: WindowState = {
  ...{ policy: 'coupon.seckill', level: 'user', algorithm: 'sliding-log', mode: 'enforce' },
  ...{ limit: 5, windowMs: 10_000, used: 3, remaining: 2, hits: [1, 2, 3], retryAfterMs: 0 },
};
const level = {
  ...{ policy: 'coupon.seckill', level: 'user', algorithm: 'sliding-log', mode: 'enforce' },
  ...{ limit: 5, windowMs: 10_000 },
};

test('a lowered limit of the feed replaces the limit that was read', () => {
  const [shown] = applyLiveLimits([window], [{ ...level, limit: 2 }]);
  expect(shown).toEqual({ ...window, limit: 2, remaining: 0 });
  expect(hasOtherLimits([window], [{ ...level, limit: 2 }])).toBe(true);
});

test('an equal limit keeps the identity of the window, so that no meter renders', () => {
  expect(applyLiveLimits([window], [level])[0]).toBe(window);
  expect(hasOtherLimits([window], [level])).toBe(false);
});

test('the limit of another level changes nothing', () => {
  const other = { ...level, level: 'ip', limit: 1 };
  expect(applyLiveLimits([window], [other])[0]).toBe(window);
  expect(hasOtherLimits([window], [other])).toBe(false);
});

test('a changed mode replaces the mode that was read, and needs a new reading', () => {
  const [shown] = applyLiveLimits([window], [{ ...level, mode: 'off' }]);
  expect(shown).toEqual({ ...window, mode: 'off' });
  expect(hasOtherLimits([window], [{ ...level, mode: 'off' }])).toBe(true);
});

test('an algorithm of a newer server changes nothing', () => {
  expect(applyLiveLimits([window], [{ ...level, algorithm: 'new', limit: 2 }])[0]).toBe(window);
});

test('a limit of this visitor alone is kept, whatever the feed has', () => {
  const own: WindowState = { ...window, limit: 20, personal: true, version: 4 };
  const live = { ...level, limit: 2, mode: 'off', version: 4 };
  expect(applyLiveLimits([own], [live])[0]).toBe(own);
  expect(hasOtherLimits([own], [live])).toBe(false);
});

test('a changed override of the level, or of a subject of it, needs a new reading', () => {
  expect(hasOtherLimits([window], [{ ...level, version: 0 }])).toBe(false);
  expect(hasOtherLimits([window], [{ ...level, version: 1 }])).toBe(true);
  expect(hasOtherLimits([{ ...window, version: 1 }], [{ ...level, version: 1 }])).toBe(false);
});
