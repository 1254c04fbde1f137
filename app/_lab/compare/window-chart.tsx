import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Chart } from '../../_components/ui/chart';
import type { ChartSeries, ChartTone } from '../../_components/ui/chart-model';
import { algorithms } from '../algorithms';
import { countInWindow, listChanges } from '../lanes/window-counts';
import type { Algorithm, AlgorithmRun } from '../types';
import { useLabNumbers } from '../use-lab-numbers';

interface Props {
  runs: readonly AlgorithmRun[];
  limit: number;
  windowMs: number;
  spanMs: number;
  /** The selected time. */
  at: number;
}

const tones = {
  'sliding-log': 'water',
  'sliding-counter': 'leaf',
  'fixed-window': 'ember',
  'token-bucket': 'ink',
  'leaky-bucket': 'ink-soft',
} as const satisfies Record<Algorithm, ChartTone>;

/** A chart of the admissions in the window before each time, for each algorithm. */
export function WindowChart({ runs, limit, windowMs, spanMs, at }: Props) {
  const t = useTranslations('lab');
  const { tick, count } = useLabNumbers();
  const { x, series } = useMemo(() => {
    const admitted = algorithms.map((algorithm) => listAdmitted(algorithm, runs));
    const x = listChanges(admitted, windowMs, spanMs);
    const series: ChartSeries[] = algorithms.map((algorithm, index) => ({
      label: t(`algorithm.${algorithm}`),
      tone: tones[algorithm],
      kind: 'step',
      values: x.map((instant) => countInWindow(admitted[index] ?? [], windowMs, instant)),
    }));
    return { x, series };
  }, [runs, windowMs, spanMs, t]);
  const references = useMemo(() => [{ value: limit, label: t('chart.limit', { limit }) }], [limit, t]);
  const xRange = useMemo(() => [0, spanMs] as const, [spanMs]);
  const worst = algorithms.map((algorithm) => ({
    name: t(`algorithm.${algorithm}`),
    count: runs.find((run) => run.algorithm === algorithm)?.worstWindow ?? 0,
  }));

  return (
    <Chart
      label={t('chart.label')}
      summary={worst.map(({ name, count }) => t('chart.max', { name, count, limit })).join(' ')}
      x={x}
      series={series}
      references={references}
      xKind="elapsed"
      xRange={xRange}
      height={240}
      formatX={tick}
      formatY={count}
      at={at}
    />
  );
}

function listAdmitted(algorithm: Algorithm, runs: Props['runs']): number[] {
  const decisions = runs.find((run) => run.algorithm === algorithm)?.decisions ?? [];
  return decisions.filter(({ allowed }) => allowed).map((call) => call.at);
}
