import { createLimiter } from 'floodgate-limiter';
import { memoryStore } from 'floodgate-limiter/stores';
import { beforeEach, expect, test } from 'vitest';
import { type ClaimOutcome, createClaims } from './claims.js';

let now: number;
let claimCoupon: (user: string) => Promise<ClaimOutcome>;
beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  const store = memoryStore({ clock: () => now });
  claimCoupon = createClaims(createLimiter({ store, secret: 'for tests: 32 characters or more' }));
});

test('the fourth claim in a minute is refused until the first has left', async () => {
  for (let claims = 0; claims < 3; claims += 1) {
    expect(await claimCoupon('Ada')).toHaveProperty('code');
    now += 10_000;
  }
  expect(await claimCoupon('Ada')).toEqual({ retryAfterMs: 30_000, because: 'you' });
  now += 29_999;
  expect(await claimCoupon('Ada')).toEqual({ retryAfterMs: 1, because: 'you' });
  now += 1;
  expect(await claimCoupon('Ada')).toEqual({ code: 'COUPON-4' });
});

test('of 200 people who claim at once, exactly 100 get a coupon', async () => {
  const people = Array.from({ length: 200 }, (_, index) => `person ${index}`);
  const outcomes = await Promise.all(people.map(claimCoupon));
  expect(outcomes.filter((outcome) => 'code' in outcome)).toHaveLength(100);
  expect(outcomes.at(-1)).toEqual({ retryAfterMs: 60_000, because: 'everyone' });
});
