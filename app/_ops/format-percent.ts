/**
 * Formats a share as a whole percentage: `50%`, in both languages. Only the whole is `100%`, and only nothing is `0%`. A share
 * below 1% is `<1%`: rounded up, the small shares of a column would add up to more than the whole.
 */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 1) return '<1%';
  return `${percent < 100 ? Math.min(99, Math.round(percent)) : Math.round(percent)}%`;
}
