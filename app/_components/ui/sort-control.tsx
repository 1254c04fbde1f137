import { useTranslations } from 'next-intl';
import { classNames } from './class-names';
import type { Column } from './data-table';
import table from './data-table.module.css';
import styles from './sort-control.module.css';
import type { Order } from './use-sorted-rows';

interface Props<Row> {
  columns: readonly Column<Row>[];
  order: Order | undefined;
  /** Sorts by a column, or reverses the direction of the column that sorts. */
  onSort(column: Column<Row>): void;
  /** Restores the default order. Absent: it cannot be chosen. */
  onRestore: (() => void) | undefined;
}

/** Sorts the cards of a narrow table: one select and the direction. Needs the namespace `table`. */
export function SortControl<Row>({ columns, order, onSort, onRestore }: Props<Row>) {
  const t = useTranslations('table');
  const sortable = columns.filter(({ sortBy }) => sortBy);
  const current = sortable.find(({ id }) => id === order?.id);
  if (sortable.length < 2) return null;

  function choose(chosen: string): void {
    const column = sortable.find(({ id }) => id === chosen);
    if (column) onSort(column);
    else onRestore?.();
  }

  return (
    <div className={styles.control}>
      <label className={styles.label}>
        {t('sortBy')}
        <select value={current?.id ?? ''} onChange={({ target }) => choose(target.value)}>
          {(!current || onRestore) && <option value="">{t('unsorted')}</option>}
          {sortable.map(({ id, header }) => (
            <option key={id} value={id}>
              {header}
            </option>
          ))}
        </select>
      </label>
      {current && order && (
        <button
          type="button"
          aria-label={t('direction', { direction: order.direction })}
          onClick={() => onSort(current)}
        >
          {t(order.direction)}
          <span aria-hidden="true" className={classNames(table.arrow, table[order.direction])} />
        </button>
      )}
    </div>
  );
}
