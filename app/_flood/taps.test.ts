import { expect, test } from 'vitest';
import type { Order, RefusalData } from '../_trpc/types';
import { type TapResult, tallyTaps } from './taps';

const order: Order = { id: 'o', couponId: 'c', userId: 'u', status: 'confirmed', createdAt: 0 };
const accepted: TapResult = { reply: { outcome: 'accepted', order } };
const again: TapResult = { reply: { outcome: 'already-bought', order } };
const lost: TapResult = { problem: { kind: 'lost' } };

function refused(level: string, retryAfterMs: number): TapResult {
  const refusal: RefusalData = {
    ...{ policy: 'coupon.seckill', level, algorithm: 'sliding-log', reason: 'limited' },
    ...{ limit: level === 'user' ? 5 : 100, windowMs: 10_000, remaining: 0, retryAfterMs, bannedUntil: null },
  };
  return { problem: { kind: 'refused', refusal, message: '' } };
}

test('every tap is admitted, refused or failed', () => {
  const tally = tallyTaps([accepted, again, refused('user', 9_000), lost]);
  expect(tally).toMatchObject({ total: 4, admitted: 2, refused: 1, failed: 1, bought: true });
});

test('an already bought coupon counts as admitted, not as bought', () => {
  expect(tallyTaps([again])).toMatchObject({ admitted: 1, bought: false, retryAfterMs: undefined });
});

test('each limit is listed once, the most frequent first', () => {
  const { levels } = tallyTaps([refused('user', 3), refused('global', 2), refused('global', 1)]);
  expect(levels.map(({ level, limit }) => [level, limit])).toEqual([
    ['global', 100],
    ['user', 5],
  ]);
});

test('the wait is that of the last refusal', () => {
  expect(tallyTaps([refused('user', 9_000), refused('user', 8_100)]).retryAfterMs).toBe(8_100);
});
