import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { LimitBadge } from '../lanes/limit-badge';
import type { AlgorithmRun } from '../types';
import { useLabNumbers } from '../use-lab-numbers';

/** A table of a run with one row for each algorithm. */
export function RunTable({ runs, limit }: { runs: readonly AlgorithmRun[]; limit: number }) {
  const t = useTranslations('lab');
  const { bytes, count, ms } = useLabNumbers();
  const columns = useMemo<Column<AlgorithmRun>[]>(
    () => [
      { id: 'algorithm', header: t('numbers.algorithm'), cell: (run) => t(`algorithm.${run.algorithm}`) },
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
      numberColumn('wait', t('numbers.wait'), findLongestWait, ms),
      numberColumn('bytes', t('numbers.bytes'), (run) => run.keyBytes, bytes),
    ],
    [t, bytes, count, ms, limit],
  );
  return (
    <DataTable
      label={t('numbers.label')}
      columns={columns}
      rows={runs}
      rowId={({ algorithm }) => algorithm}
      empty="–"
    />
  );
}

function findLongestWait({ decisions }: AlgorithmRun): number {
  return decisions.reduce((longest, { retryAfterMs, allowed }) => {
    return allowed ? longest : Math.max(longest, retryAfterMs);
  }, 0);
}

function numberColumn(
  id: string,
  header: string,
  read: (run: AlgorithmRun) => number,
  format: (value: number) => string,
): Column<AlgorithmRun> {
  return { id, header, kind: 'number', sortBy: read, cell: (run) => format(read(run)) };
}
