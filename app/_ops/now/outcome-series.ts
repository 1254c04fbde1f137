import type { HistoryPoint, Outcomes } from '../live/ops-event';

/** What a level decided, second by second. */
export type OutcomeSeries = { x: number[] } & Record<keyof Outcomes, number[]>;

interface Options {
  policy: string;
  level: string;
  /** The first second and the last one, by the instants at which they begin, epoch ms. */
  from: number;
  to: number;
}

const none: Outcomes = { admitted: 0, refused: 0, banned: 0, degraded: 0 };

/** The history of one level with a place for each second: those in which nothing was decided are zeros. */
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
  const x = Array.from({ length: Math.max(0, (to - from) / 1_000 + 1) }, (_, place) => from + place * 1_000);
  const valuesOf = (outcome: keyof Outcomes) => x.map((at) => bySecond.get(at)?.[outcome] ?? 0);
  return {
    x,
    admitted: valuesOf('admitted'),
    refused: valuesOf('refused'),
    banned: valuesOf('banned'),
    degraded: valuesOf('degraded'),
  };
}

/** Leaves out the zeros that stand beside no other number: a line along the bottom would say that something happens. */
export function withoutCalm(values: readonly number[]): (number | null)[] {
  return values.map((value, place) => {
    const isCalm = value === 0 && !values[place - 1] && !values[place + 1];
    return isCalm ? null : value;
  });
}

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
