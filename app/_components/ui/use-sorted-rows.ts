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
}

interface Options<Row> {
  columns: readonly SortColumn<Row>[];
  rows: readonly Row[];
  initialOrder: Order | undefined;
}

/** Returns the sorted rows, their order, and a function that sorts by a column, or turns its direction. */
export function useSortedRows<Row>({ columns, rows, initialOrder }: Options<Row>): {
  sorted: readonly Row[];
  order: Order | undefined;
  sortBy(column: SortColumn<Row>): void;
} {
  const [order, setOrder] = useState(initialOrder);
  const column = columns.find(({ id }) => id === order?.id);
  const sorted = useMemo(
    () => (column && order ? sortRows(rows, { ...column, direction: order.direction }) : rows),
    [rows, column, order],
  );
  return { sorted, order, sortBy: (next) => setOrder((before) => nextOrder(before, next)) };
}

/** Returns the order after a click on a column: numbers begin with the largest, texts with the first. */
export function nextOrder(
  before: Order | undefined,
  { id, kind }: Pick<SortColumn<never>, 'id' | 'kind'>,
): Order {
  if (before?.id === id) return { id, direction: before.direction === 'asc' ? 'desc' : 'asc' };
  return { id, direction: kind === 'number' ? 'desc' : 'asc' };
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
