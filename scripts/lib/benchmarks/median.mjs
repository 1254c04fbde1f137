/**
 * Returns the median. Of an even number of values it returns the lower middle value, so that the result was measured.
 *
 * @param {readonly number[]} values  At least one.
 * @returns {number}
 */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) throw new RangeError('The median needs at least one value.');
  return middle;
}
