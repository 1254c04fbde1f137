import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { Chart } from '../../_components/ui/chart';
import type { ChartSeries, ChartTone } from '../../_components/ui/chart-drawing';
import { type Column, DataTable } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Terms } from '../details';
import { LimitBadge } from '../experiment';
import { numberColumn, useLabNumbers } from '../numbers';
import { countInWindow, findLongestWait, listChanges, listTimes } from '../runs';
import { getSpanMs, type Scenario } from '../scenario';
import type { Algorithm, AlgorithmRun } from '../types';
import styles from './compare.module.css';

interface Props {
  runs: readonly AlgorithmRun[];
  scenario: Scenario;
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
export function RunNumbers({ runs, scenario, at }: Props) {
  const t = useTranslations('lab.numbers');
  return (
    <>
      <RunTable runs={runs} limit={scenario.limit} />
      <Terms terms={explained.map((id) => ({ name: t(id), means: t(`means.${id}`) }))} />
      <WindowChart runs={runs} scenario={scenario} at={at} />
      <SubWindowsNote runs={runs} scenario={scenario} />
    </>
  );
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
        cell: (run) => <span className={styles.algorithm}>{t(`algorithm.${run.algorithm}`)}</span>,
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

/** A chart of the admissions in the window before each time, for each algorithm. */
function WindowChart({ runs, scenario, at }: Props) {
  const t = useTranslations('lab');
  const { tick, time, count } = useLabNumbers();
  const { limit, windowMs } = scenario;
  const spanMs = getSpanMs(scenario);
  const { x, series } = useMemo(() => {
    const admitted = runs.map(({ decisions }) => listTimes(decisions, true));
    const x = listChanges(admitted, windowMs, spanMs);
    const series: ChartSeries[] = runs.map(({ algorithm }, index) => ({
      label: t(`algorithm.${algorithm}`),
      tone: tones[algorithm],
      values: x.map((instant) => countInWindow(admitted[index] ?? [], windowMs, instant)),
    }));
    return { x, series };
  }, [runs, windowMs, spanMs, t]);
  const maxima = runs.map(({ algorithm, worstWindow }) =>
    t('chart.max', { name: t(`algorithm.${algorithm}`), count: worstWindow, limit }),
  );

  return (
    <Chart
      label={t('chart.label')}
      summary={maxima.join(' ')}
      x={x}
      series={series}
      reference={{ value: limit, label: t('chart.limit', { limit }) }}
      xRange={[0, spanMs]}
      height={240}
      formatX={tick}
      formatSelected={time}
      formatY={count}
      at={at}
    />
  );
}

/** Compares the sliding counter with the log: its admissions, its memory, and by how much a unit returns late. */
function SubWindowsNote({ runs, scenario: { windowMs, subWindows } }: Omit<Props, 'at'>) {
  const t = useTranslations('lab.numbers');
  const { bytes, ms } = useLabNumbers();
  const counter = runs.find(({ algorithm }) => algorithm === 'sliding-counter');
  const log = runs.find(({ algorithm }) => algorithm === 'sliding-log');
  if (!counter || !log) return null;
  const lengthMs = Math.ceil(windowMs / subWindows);
  return (
    <p className={layout.hint}>
      {t('subWindows', {
        count: subWindows,
        length: ms(lengthMs),
        late: ms(lengthMs - 1),
        worst: counter.worstWindow,
        bound: counter.bound,
        admitted: counter.admitted,
        logAdmitted: log.admitted,
        bytes: bytes(counter.keyBytes),
      })}
    </p>
  );
}
