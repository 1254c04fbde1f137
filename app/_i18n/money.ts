import { formatCount } from './format-count';

/** Formats a price in euros, the same in both languages: `€9.90`, or `€20` without cents. */
export function formatMoney(cents: number): string {
  const rest = cents % 100;
  const euros = `€${formatCount((cents - rest) / 100)}`;
  return rest === 0 ? euros : `${euros}.${String(rest).padStart(2, '0')}`;
}
