/**
 * Formats a number with 3 significant digits, and without decimals from 100 on.
 *
 * @param {number} value
 */
export function digits(value) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return wholes(value);
  if (size >= 10) return value.toFixed(1);
  if (size > 0 && size < 0.01) return Number(value.toPrecision(2)).toString();
  return value.toFixed(2);
}

/** @param {number} value */
function wholes(value) {
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}

/** @param {import('./spread.mjs').Spread} spread */
export function withSpread({ median, low, high }) {
  return low === high ? digits(median) : `${digits(median)} (${digits(low)} to ${digits(high)})`;
}
