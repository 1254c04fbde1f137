/**
 * The middle of an odd number of values; of an even number the lower of the two in the middle, so that what is told
 * was measured.
 *
 * @param {number[]} values  At least one.
 * @returns {number}
 */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('There is no median of nothing.');
  return middle;
}
