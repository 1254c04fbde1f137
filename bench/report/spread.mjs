import { median } from '../../scripts/lib/benchmarks/median.mjs';

/**
 * The result of several rounds.
 *
 * @typedef {object} Spread
 * @property {number} median
 * @property {number} low  Lower quartile: half of the rounds lie from here…
 * @property {number} high  …to here.
 */

/**
 * @param {readonly number[]} values  At least one.
 * @returns {Spread}
 */
export function spreadOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const quarter = Math.floor((sorted.length - 1) / 4);
  const middle = median([...values]);
  return {
    median: middle,
    low: sorted[quarter] ?? middle,
    high: sorted[sorted.length - 1 - quarter] ?? middle,
  };
}
