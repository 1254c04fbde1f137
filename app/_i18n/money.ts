import { formatCount } from './format-count';

/** Formats a price in euros, the same in both languages: `€9.90`, or `€20` without cents. */
export function formatMoney(cents: number): string {
  const rest = cents % 100;
  const decimals = rest === 0 ? '' : (rest / 100).toFixed(2).slice(1);
  return `€${formatCount((cents - rest) / 100)}${decimals}`;
}
