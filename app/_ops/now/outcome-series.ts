import type { HistoryPoint, Outcomes } from '../live/ops-event';

/** The decisions of a level per second. */
export type OutcomeSeries = { x: number[] } & Record<keyof Outcomes, number[]>;

interface Options {
  policy: string;
  level: string;
  /** The starts of the first and the last second, epoch ms. */
  from: number;
  to: number;
}

const none: Outcomes = { admitted: 0, refused: 0, banned: 0, degraded: 0 };

/** Returns the history of a level with a value for every second; seconds without decisions are zeros. */
export function outcomeSeries(
  history: readonly HistoryPoint[],
  { policy, level, from, to }: Options,
): OutcomeSeries {
  const bySecond = new Map(
    history.map(({ at, levels }) => [
      at,
      levels.find((one) => one.policy === policy && one.level === level) ?? none,
    ]),
  );
  const x = Array.from({ length: Math.max(0, (to - from) / 1_000 + 1) }, (_, index) => from + index * 1_000);
  const valuesOf = (outcome: keyof Outcomes) => x.map((at) => bySecond.get(at)?.[outcome] ?? 0);
  return {
    x,
    admitted: valuesOf('admitted'),
    refused: valuesOf('refused'),
    banned: valuesOf('banned'),
    degraded: valuesOf('degraded'),
  };
}

/** Replaces zeros without a non-zero neighbour by null, so that no line runs along the bottom. */
export function blankIdleZeros(values: readonly number[]): (number | null)[] {
  return values.map((value, index) => {
    const isIdle = value === 0 && !values[index - 1] && !values[index + 1];
    return isIdle ? null : value;
  });
}

/** Adds the values; 0 for an empty list. */
export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
