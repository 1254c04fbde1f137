import { expect, test } from 'vitest';
import type { Order, RefusalData } from '../_trpc/types';
import { type TapFate, tallyTaps } from './tap-tally';

const order: Order = { id: 'o', couponId: 'c', userId: 'u', status: 'confirmed', createdAt: 0 };
const accepted: TapFate = { reply: { outcome: 'accepted', order } };
const again: TapFate = { reply: { outcome: 'already-bought', order } };
const lost: TapFate = { problem: { kind: 'lost' } };

function refused(level: string, retryAfterMs: number): TapFate {
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

test('having it already is admitted and buys nothing', () => {
  expect(tallyTaps([again])).toMatchObject({ admitted: 1, bought: false, retryAfterMs: undefined });
});

test('each rule is named once, the one that refused most first', () => {
  const { rules } = tallyTaps([refused('user', 3), refused('global', 2), refused('global', 1)]);
  expect(rules.map(({ level, limit }) => [level, limit])).toEqual([
    ['global', 100],
    ['user', 5],
  ]);
});

test('the last refusal says how long to wait', () => {
  expect(tallyTaps([refused('user', 9_000), refused('user', 8_100)]).retryAfterMs).toBe(8_100);
});
