/** Part of a UUID, which coupons of operators have as their id. Those of the demo have a name, and a drawing each. */
const uuidPart = /[\da-f]{8}-/;

/** Returns the id of a coupon's own drawing, which is its id before the round; `undefined` without one. */
export function findDrawnCoupon(couponId: string): string | undefined {
  return uuidPart.test(couponId) ? undefined : couponId.replace(/-r\d+$/, '');
}
