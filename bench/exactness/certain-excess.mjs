/**
 * Returns the largest number of calls that were certainly decided within less than one window: each was sent no earlier
 * than the first, and answered less than one window later. A limiter that is exact to the millisecond never exceeds its
 * limit here, for any decision time between request and reply.
 *
 * @param {readonly (readonly [sent: number, answered: number])[]} admitted  In ms.
 * @param {number} windowMs
 */
export function maxWithin(admitted, windowMs) {
  let most = 0;
  for (const [from] of admitted) {
    const until = from + windowMs - 1;
    let count = 0;
    for (const [sent, answered] of admitted) if (sent >= from && answered < until) count += 1;
    most = Math.max(most, count);
  }
  return most;
}
