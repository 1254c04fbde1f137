import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Chart } from '../../_components/ui/chart';
import type { ChartSeries, ChartTone } from '../../_components/ui/chart-drawing';
import { useClockFormat } from '../formats';
import { useLevelName, usePolicyName } from '../levels';
import { HISTORY_MS, type HistoryPoint, type Outcomes } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import { sumOf, useSettledSecond } from './activity';

const height = 132;

const tones = {
  admitted: 'accent',
  refused: 'wait',
  banned: 'fail',
  degraded: 'ink-soft',
} as const satisfies Record<keyof Outcomes, ChartTone>;
const outcomes = ['admitted', 'refused', 'banned', 'degraded'] as const satisfies (keyof Outcomes)[];

/** Shown also when zero. */
const alwaysShown: ReadonlySet<keyof Outcomes> = new Set(['admitted', 'refused']);

/** Shows a level's decisions per second over the last minutes. Omits outcomes that did not occur, such as bans. */
export function OutcomeChart({ policy, level }: { policy: string; level: string }) {
  const t = useTranslations('opsNow.chart');
  const levelName = useLevelName();
  const policyName = usePolicyName();
  const history = useOpsFeed((snapshot) => snapshot.history);
  const isKnown = useOpsFeed(({ event }) => event !== undefined);
  const second = useSettledSecond();
  const to = isKnown ? second : -1_000;

  const data = useMemo(
    () => outcomeSeries(history, { policy, level, from: Math.max(0, to - HISTORY_MS + 1_000), to }),
    [history, policy, level, to],
  );
  const series = useMemo(
    () =>
      outcomes
        .filter((outcome) => alwaysShown.has(outcome) || sumOf(data[outcome]) > 0)
        .map(
          (outcome): ChartSeries => ({
            label: t(outcome),
            tone: tones[outcome],
            values: outcome === 'admitted' ? data.admitted : blankIdleZeros(data[outcome]),
          }),
        ),
    [data, t],
  );
  const formatX = useClockFormat();
  const formatY = (count: number) => t('perSecond', { count });

  return (
    <Chart
      label={t('label', { policy: policyName(policy), level: levelName(level) })}
      summary={t('summary', {
        admitted: sumOf(data.admitted),
        refused: sumOf(data.refused) + sumOf(data.banned),
      })}
      x={data.x}
      series={series}
      height={height}
      formatX={formatX}
      // The row has the average of ten seconds.
      formatSelected={(at) => t('second', { time: formatX(at) })}
      formatY={formatY}
      none={formatY(0)}
    />
  );
}

/** The decisions of a level per second. */
type OutcomeSeries = { x: number[] } & Record<keyof Outcomes, number[]>;

interface SeriesOptions {
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
  { policy, level, from, to }: SeriesOptions,
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
