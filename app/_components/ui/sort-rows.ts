export type SortDirection = 'asc' | 'desc';

/** The column that orders the rows. */
export interface Order {
  id: string;
  direction: SortDirection;
}

/** The part of a column that sorts. */
export interface SortColumn<Row> {
  id: string;
  /** Returns the sort value; absent: not sortable. Rows without a value come last in either order. */
  sortBy?: ((row: Row) => number | string | undefined) | undefined;
  /** The direction of the first sort by this column. Default: `desc` for numbers, else `asc`. */
  sortFirst?: SortDirection | undefined;
  /** `number` aligns right with tabular figures. Default: `text`. */
  kind?: 'text' | 'number' | undefined;
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
