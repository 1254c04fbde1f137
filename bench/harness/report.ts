import type { Spread } from './rounds';

/** A goal that was set before the measurement. */
export interface Goal {
  what: string;
  bound: { min: number } | { max: number };
  reached: Spread;
}

export function isReached({ bound, reached }: Goal): boolean {
  return 'min' in bound ? reached.median >= bound.min : reached.median <= bound.max;
}

/** Formats goals as a Markdown table. */
export function describeGoals(goals: readonly Goal[]): string {
  return table(
    ['what', 'goal', 'reached', ''],
    goals.map((goal) => [
      goal.what,
      'min' in goal.bound ? `≥ ${digits(goal.bound.min)}` : `≤ ${digits(goal.bound.max)}`,
      withSpread(goal.reached),
      isReached(goal) ? 'yes' : '**no**',
    ]),
    { text: [3] },
  );
}

/**
 * Formats a Markdown table. The first column is text. The others are numbers, except those in `text`.
 *
 * `text`: the indexes of further text columns.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { text = [] }: { text?: readonly number[] } = {},
): string {
  const rule = head.map((_, index) => (index === 0 || text.includes(index) ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Formats a number with 3 significant digits, and without decimals from 100 on. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return wholes(value);
  if (size >= 10) return value.toFixed(1);
  if (size > 0 && size < 0.01) return Number(value.toPrecision(2)).toString();
  return value.toFixed(2);
}

/** Formats a median with its quartiles in brackets. */
export function withSpread({ median, low, high }: Spread): string {
  return low === high ? digits(median) : `${digits(median)} (${digits(low)} to ${digits(high)})`;
}

function wholes(value: number): string {
  return Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}
