import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { type Column, DataTable } from '../../_components/ui/data-table';
import type { Mistake } from '../types';
import { useLabNumbers } from '../use-lab-numbers';
import styles from './key-slots.module.css';

type Slot = Extract<Mistake, { mistake: 'cross-slot' }>['naiveKeys'][number];

interface Row extends Slot {
  side: 'naive' | 'product';
}

interface Props {
  naive: readonly Slot[];
  product: readonly Slot[];
}

/** A table of the cluster slot of each key. */
export function KeySlots({ naive, product }: Props) {
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
