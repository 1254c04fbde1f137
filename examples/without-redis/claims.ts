import { definePolicy, type Limiter } from 'floodgate-limiter';

const claim = definePolicy({
  name: 'claim',
  levels: [
    { level: 'user', limit: 3, windowMs: 60_000 },
    { level: 'global', limit: 100, windowMs: 60_000 },
  ],
});

export type ClaimOutcome = { code: string } | { retryAfterMs: number | null; because: 'you' | 'everyone' };

/** Creates the code under test. In production its limiter has a store on Redis. */
export function createClaims(limiter: Limiter) {
  let claims = 0;
  return async function claimCoupon(user: string): Promise<ClaimOutcome> {
    const decision = await limiter.check(claim, { user });
    if (!decision.allowed) {
      const because = decision.refusedBy.level === 'user' ? 'you' : 'everyone';
      return { retryAfterMs: decision.retryAfterMs, because };
    }
    claims += 1;
    return { code: `COUPON-${claims}` };
  };
}
