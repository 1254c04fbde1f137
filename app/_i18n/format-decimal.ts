import { formatCount } from './format-count';

/** Formats a number from 0 with `digits` decimals: `1,234.50`, in both languages. Without `Intl`, like `formatCount`. */
export function formatFixed(value: number, digits: number): string {
  return groupDigits(value.toFixed(digits));
}

/** Formats a number from 0 with at most `digits` decimals, without trailing zeros: `1,234.5`. */
export function formatDecimal(value: number, digits: number): string {
  return groupDigits(String(Number(value.toFixed(digits))));
}

/**
 * Formats a share as a whole percentage: `50%`, in both languages. Only the whole is `100%`, and only nothing is `0%`. A share
 * below 1% is `<1%`: rounded up, the small shares of a column would add up to more than the whole.
 */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return '<1%';
  const rounded = percent < 100 ? Math.min(99, Math.round(percent)) : percent;
  return `${formatDecimal(rounded, 0)}%`;
}

function groupDigits(text: string): string {
  const [whole, ...fraction] = text.split('.');
  return [formatCount(Number(whole)), ...fraction].join('.');
}
