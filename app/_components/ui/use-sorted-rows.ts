import { useMemo, useState } from 'react';

export type SortDirection = 'asc' | 'desc';

/** The column that orders the rows. */
export interface Order {
  id: string;
  direction: SortDirection;
}

interface SortColumn<Row> {
  id: string;
  sortBy?: ((row: Row) => number | string | undefined) | undefined;
  kind?: 'text' | 'number' | 'actions' | undefined;
  sortFirst?: SortDirection | undefined;
}

/** The order of rows that their owner sorts. */
export interface Sorting {
  order: Order;
  onSort(order: Order): void;
  /** Restores an order that no column has. Absent: there is none. */
  onRestore?(): void;
}

interface Options<Row> {
  columns: readonly SortColumn<Row>[];
  rows: readonly Row[];
  initialOrder: Order | undefined;
  /** Present if `rows` are sorted. */
  sorting: Sorting | undefined;
}

/** Returns the sorted rows, their order, and a function that sorts by a column, or reverses its direction. */
export function useSortedRows<Row>({ columns, rows, initialOrder, sorting }: Options<Row>): {
  sorted: readonly Row[];
  order: Order | undefined;
  sortBy(column: SortColumn<Row>): void;
} {
  const [own, setOwn] = useState(initialOrder);
  const column = sorting ? undefined : columns.find(({ id }) => id === own?.id);
  const sorted = useMemo(
    () => (column && own ? sortRows(rows, { ...column, direction: own.direction }) : rows),
    [rows, column, own],
  );
  if (!sorting) return { sorted, order: own, sortBy: (next) => setOwn((before) => nextOrder(before, next)) };
  const { order, onSort } = sorting;
  return { sorted, order, sortBy: (next) => onSort(nextOrder(order, next)) };
}

/** Returns the order after a click on a column. By default, numbers begin with the largest, texts with the first. */
export function nextOrder(
  before: Order | undefined,
  { id, kind, sortFirst }: Pick<SortColumn<never>, 'id' | 'kind' | 'sortFirst'>,
): Order {
  if (before?.id === id) return { id, direction: before.direction === 'asc' ? 'desc' : 'asc' };
  return { id, direction: sortFirst ?? (kind === 'number' ? 'desc' : 'asc') };
}

/** Sorts rows by a column. Equal rows keep their order. Rows without a value come last in either direction. */
export function sortRows<Row>(
  rows: readonly Row[],
  { sortBy, direction }: Pick<SortColumn<Row>, 'sortBy'> & { direction: SortDirection },
): Row[] {
  const sign = direction === 'asc' ? 1 : -1;
  return rows
    .map((row) => ({ row, value: sortBy?.(row) }))
    .toSorted(({ value: one }, { value: other }) => {
      if (one === other) return 0;
      if (one === undefined) return 1;
      if (other === undefined) return -1;
      return one < other ? -sign : sign;
    })
    .map(({ row }) => row);
}
