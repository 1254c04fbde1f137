import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import { Notice } from '../../_components/ui/notice';
import type { Mistake } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import styles from './mistakes.module.css';

/** Details of a mistake below its numbers. */
export function MistakeDetails({ mistake }: { mistake: Mistake }) {
  const t = useTranslations('lab.mistakeDetails');
  const { time, count } = useLabNumbers();
  switch (mistake.mistake) {
    case 'double-burst':
    case 'self-extending-block':
      return null;
    case 'node-clock':
      return (
        <Notice tone="warning">
          {t('nodeClock', { skew: time(mistake.skewMs), ...countCalls(mistake.nodes) })}
        </Notice>
      );
    case 'cross-slot':
      return (
        <>
          <Notice tone={mistake.naiveError ? 'refused' : 'warning'}>
            {mistake.naiveError
              ? t('crossSlot', { error: mistake.naiveError })
              : t('noSlots', { slots: count(16_384) })}
          </Notice>
          <KeySlots naive={mistake.naiveKeys} product={mistake.productKeys} />
        </>
      );
  }
}

function countCalls(nodes: readonly number[]): { first: number; second: number } {
  const second = nodes.filter((node) => node === 1).length;
  return { first: nodes.length - second, second };
}

type Slot = Extract<Mistake, { mistake: 'cross-slot' }>['naiveKeys'][number];

interface Row extends Slot {
  side: 'naive' | 'product';
}

interface Props {
  naive: readonly Slot[];
  product: readonly Slot[];
}

/** A table of the cluster slot of each key. */
function KeySlots({ naive, product }: Props) {
  const t = useTranslations('lab.slots');
  const { count } = useLabNumbers();
  const rows = useMemo<Row[]>(
    () => [
      ...naive.map((slot) => ({ ...slot, side: 'naive' as const })),
      ...product.map((slot) => ({ ...slot, side: 'product' as const })),
    ],
    [naive, product],
  );
  const columns = useMemo<Column<Row>[]>(
    () => [
      { id: 'key', header: t('key'), cell: ({ key }) => <code className={styles.key}>{key}</code> },
      { id: 'side', header: t('side'), sortBy: ({ side }) => side, cell: ({ side }) => t(side) },
      {
        id: 'slot',
        header: t('slot'),
        kind: 'number',
        sortBy: ({ slot }) => slot,
        cell: ({ slot }) => count(slot),
      },
    ],
    [t, count],
  );
  return (
    <DataTable
      label={t('label')}
      columns={columns}
      rows={rows}
      rowId={({ side, key }) => `${side} ${key}`}
      empty="–"
    />
  );
}
