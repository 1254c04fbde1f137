/** The demo's coupons that have a picture, by id before the round. */
const drawnCoupon =
  /^(hotpot-50|late-show-pair|sesame-bun-box|bean-of-the-week|any-bowl|bring-a-friend|extra-broth|miso-at-noon|popcorn|second-hand-shelf|seasonal-bunch|shoes-on-us|spring-service|first-bowl|morning-cup)(?=(-r\d+)?$)/;

/** Returns the id of a coupon's own drawing; `undefined` without one. */
export function findDrawnCoupon(couponId: string): string | undefined {
  return drawnCoupon.exec(couponId)?.[0];
}
