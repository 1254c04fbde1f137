/**
 * The most calls that were certainly decided within less than a window: each was asked no earlier than the first of them
 * was, and answered less than a window later. What a decision's instant may be between the two cannot make it more; a
 * limiter that is exact to the millisecond never shows more than its limit.
 *
 * @param {readonly (readonly [asked: number, answered: number])[]} admitted  In ms.
 * @param {number} windowMs
 */
export function mostWithin(admitted, windowMs) {
  let most = 0;
  for (const [from] of admitted) {
    const until = from + windowMs - 1;
    let count = 0;
    for (const [asked, answered] of admitted) if (asked >= from && answered < until) count += 1;
    most = Math.max(most, count);
  }
  return most;
}
