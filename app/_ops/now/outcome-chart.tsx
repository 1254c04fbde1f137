import { useLocale, useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { Chart } from '../../_components/ui/chart';
import type { ChartSeries, ChartTone } from '../../_components/ui/chart-model';
import { historyMs } from '../live/history';
import type { Outcomes } from '../live/ops-event';
import { useOpsFeed } from '../live/ops-feed-provider';
import { useLevelWords } from '../use-level-words';
import { useSecond } from '../use-second';
import { outcomeSeries, sumOf, withoutCalm } from './outcome-series';

interface Props {
  policy: string;
  level: string;
}

const height = 132;
/** So long after its end is a second known on all nodes, and told. */
const settledMs = 2_000;

const tones = {
  admitted: 'water',
  refused: 'ember',
  banned: 'ink',
  degraded: 'ink-soft',
} as const satisfies Record<keyof Outcomes, ChartTone>;
const outcomes = ['admitted', 'refused', 'banned', 'degraded'] as const satisfies (keyof Outcomes)[];

/** The others are exceptions. */
const alwaysShown: ReadonlySet<keyof Outcomes> = new Set(['admitted', 'refused']);

/** What a level decided each second of the last minutes. Outcomes that did not happen, such as bans, are left out. */
export function OutcomeChart({ policy, level }: Props) {
  const t = useTranslations('opsNow.chart');
  const language = useLocale();
  const levelWords = useLevelWords();
  const history = useOpsFeed((snapshot) => snapshot.history);
  const isKnown = useOpsFeed(({ event }) => event !== undefined);
  const second = useSecond();
  const to = isKnown ? second - settledMs : -1_000;

  const data = useMemo(
    () => outcomeSeries(history, { policy, level, from: Math.max(0, to - historyMs + 1_000), to }),
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
            values: outcome === 'admitted' ? data.admitted : withoutCalm(data[outcome]),
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
      label={t('label', { policy, level: levelWords(level) })}
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
