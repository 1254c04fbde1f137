import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Chart } from '../../_components/ui/chart';
import type { ChartSeries, ChartTone } from '../../_components/ui/chart-model';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { LimitBadge } from '../lanes/verdict-badge';
import { countInWindow, listChanges } from '../lanes/window-counts';
import { Terms } from '../terms';
import type { Algorithm, AlgorithmRun } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import { algorithms } from './algorithms';
import { findLongestWait } from './find-longest-wait';
import styles from './results.module.css';

interface Props {
  runs: readonly AlgorithmRun[];
  limit: number;
  windowMs: number;
  spanMs: number;
  /** The selected time. */
  at: number;
}

const tones = {
  'sliding-log': 'accent',
  'sliding-counter': 'good',
  'fixed-window': 'wait',
  'token-bucket': 'ink',
  'leaky-bucket': 'ink-soft',
} as const satisfies Record<Algorithm, ChartTone>;

const explained = ['worst', 'bound', 'starts', 'wait', 'bytes'] as const;

/** A table of a run, and a chart of its windows. */
export function RunNumbers({ runs, limit, windowMs, spanMs, at }: Props) {
  const t = useTranslations('lab');
  return (
    <>
      <RunTable runs={runs} limit={limit} />
      <Terms terms={explained.map((id) => ({ name: t(`numbers.${id}`), means: t(`numbers.means.${id}`) }))} />
      <WindowChart runs={runs} limit={limit} windowMs={windowMs} spanMs={spanMs} at={at} />
    </>
  );
}

/** A chart of the admissions in the window before each time, for each algorithm. */
function WindowChart({ runs, limit, windowMs, spanMs, at }: Props) {
  const t = useTranslations('lab');
  const { tick, time, count } = useLabNumbers();
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
      formatSelected={time}
      formatY={count}
      at={at}
    />
  );
}

function listAdmitted(algorithm: Algorithm, runs: Props['runs']): number[] {
  const decisions = runs.find((run) => run.algorithm === algorithm)?.decisions ?? [];
  return decisions.filter(({ allowed }) => allowed).map((call) => call.at);
}

/** A table of a run with one row for each algorithm. */
function RunTable({ runs, limit }: { runs: readonly AlgorithmRun[]; limit: number }) {
  const t = useTranslations('lab');
  const { bytes, count, time } = useLabNumbers();
  const columns = useMemo<Column<AlgorithmRun>[]>(
    () => [
      {
        id: 'algorithm',
        header: t('numbers.algorithm'),
        cell: (run) => <span className={styles.name}>{t(`algorithm.${run.algorithm}`)}</span>,
      },
      numberColumn('admitted', t('numbers.admitted'), (run) => run.admitted, count),
      numberColumn('refused', t('numbers.refused'), (run) => run.refused, count),
      {
        id: 'worst',
        header: t('numbers.worst'),
        kind: 'number',
        sortBy: (run) => run.worstWindow,
        cell: (run) => <LimitBadge count={run.worstWindow} limit={limit} />,
      },
      numberColumn('bound', t('numbers.bound'), (run) => run.bound, count),
      numberColumn('starts', t('numbers.starts'), (run) => run.worstStarts, count),
      numberColumn('wait', t('numbers.wait'), (run) => findLongestWait(run.decisions), time),
      numberColumn('bytes', t('numbers.bytes'), (run) => run.keyBytes, bytes),
    ],
    [t, bytes, count, time, limit],
  );
  return (
    <DataTable
      label={t('numbers.label')}
      columns={columns}
      rows={runs}
      rowId={({ algorithm }) => algorithm}
      empty="–"
      manyColumns
    />
  );
}

function numberColumn(
  id: string,
  header: string,
  read: (run: AlgorithmRun) => number,
  format: (value: number) => string,
): Column<AlgorithmRun> {
  return { id, header, kind: 'number', sortBy: read, cell: (run) => format(read(run)) };
}
