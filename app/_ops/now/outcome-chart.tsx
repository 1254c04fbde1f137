import { useLocale, useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { Chart } from '../../_components/ui/chart';
import type { ChartSeries, ChartTone } from '../../_components/ui/chart-model';
import { HISTORY_MS } from '../live/history';
import type { Outcomes } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import { useLevelName } from '../use-level-name';
import { useSecond } from '../use-second';
import { blankIdleZeros, outcomeSeries, sumOf } from './outcome-series';

interface Props {
  policy: string;
  level: string;
}

const height = 132;
/** All nodes have reported a second this long after its end. */
const SETTLE_MS = 2_000;

const tones = {
  admitted: 'water',
  refused: 'ember',
  banned: 'ink',
  degraded: 'ink-soft',
} as const satisfies Record<keyof Outcomes, ChartTone>;
const outcomes = ['admitted', 'refused', 'banned', 'degraded'] as const satisfies (keyof Outcomes)[];

/** Shown also when zero. */
const alwaysShown: ReadonlySet<keyof Outcomes> = new Set(['admitted', 'refused']);

/** Shows a level's decisions per second over the last minutes. Omits outcomes that did not occur, such as bans. */
export function OutcomeChart({ policy, level }: Props) {
  const t = useTranslations('opsNow.chart');
  const language = useLocale();
  const levelName = useLevelName();
  const history = useOpsFeed((snapshot) => snapshot.history);
  const isKnown = useOpsFeed(({ event }) => event !== undefined);
  const second = useSecond();
  const to = isKnown ? second - SETTLE_MS : -1_000;

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
            kind: 'step',
          }),
        ),
    [data, t],
  );
  const formatX = useMemo(() => {
    const { format } = new Intl.DateTimeFormat(language, { timeStyle: 'medium', hourCycle: 'h23' });
    return (at: number) => format(at);
  }, [language]);
  const formatY = useCallback((count: number) => t('perSecond', { count }), [t]);

  return (
    <Chart
      label={t('label', { policy, level: levelName(level) })}
      summary={t('summary', {
        admitted: sumOf(data.admitted),
        refused: sumOf(data.refused) + sumOf(data.banned),
      })}
      x={data.x}
      series={series}
      xKind="instant"
      height={height}
      formatX={formatX}
      formatY={formatY}
      none={formatY(0)}
    />
  );
}
