/**
 * Formats a whole number: `10,000`, in both languages. Without `Intl`, whose first number formatter blocks a phone for 50 to
 * 120 ms. The messages of the sale's first view get this text as `{limit}`, also in `{limit, plural, =1 {…} other {…}}`:
 * `{limit, number}` and `#` use `Intl`.
 */
export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a price in euros, the same in both languages: `€9.90`, or `€20` without cents. */
export function formatMoney(cents: number): string {
  const rest = cents % 100;
  const decimals = rest === 0 ? '' : (rest / 100).toFixed(2).slice(1);
  return `€${formatCount((cents - rest) / 100)}${decimals}`;
}

/** Rounds to one decimal place. */
export function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
