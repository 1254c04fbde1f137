'use client';

import { Fragment, type ReactNode, useId, useRef } from 'react';
import { classNames } from './class-names';
import styles from './data-table.module.css';
import layout from './layout.module.css';
import { SortControl } from './sort-control';
import { Skeleton } from './status';
import { useOverflows } from './use-overflows';
import { type Order, type SortDirection, type Sorting, useSortedRows } from './use-sorted-rows';

/** A column. Keep the list of columns stable between renders. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Returns the sort value; absent: not sortable. Rows without a value come last in either order. */
  sortBy?: (row: Row) => number | string | undefined;
  /** The direction of the first sort by this column. Default: `desc` for numbers, else `asc`. */
  sortFirst?: SortDirection;
  /** `number` aligns right with tabular figures. `actions` takes a line of its own on a card. Default: `text`. */
  kind?: 'text' | 'number' | 'actions';
  /** The width of the column. If one column has a width, those without share the rest. Default: by content. */
  width?: string;
  /**
   * On a card of a dense table: the whole line, its start, its start with its label before it (of the first column), its end,
   * the end of the first line, the next free cell with its label, all of its line but the first cell with its label, or none.
   * Default: the next free cell.
   */
  card?: 'line' | 'start' | 'labelledStart' | 'end' | 'topEnd' | 'labelled' | 'labelledEnd' | 'none';
  /** Returns the value for a CSV file. Default: the sort value. Columns without either are left out of the file. */
  csv?: (row: Row) => number | string | undefined;
}

export interface DataTableProps<Row> {
  /** The accessible name. */
  label: string;
  /** The columns. The first one names its row. */
  columns: readonly Column<Row>[];
  /** `undefined` while loading. */
  rows: readonly Row[] | undefined;
  rowId: (row: Row) => string;
  /** Shown instead of rows when there are none. */
  empty: ReactNode;
  /** The number of placeholder rows while loading. Default: 3. */
  expectedRows?: number;
  /** The initial order. Default: the order of `rows`. */
  initialOrder?: Order;
  /** Present if the owner sorts `rows`. Then `initialOrder` has no effect. */
  sorting?: Sorting;
  /** Returns content for the full width below a row. */
  detail?: (row: Row) => ReactNode;
  /** Shows only these rows of the sorted table, counted from 0; `to` is exclusive. Default: all. */
  range?: { from: number; to: number };
  /** For many columns: rows become cards on a tablet, too, instead of a table that scrolls sideways. */
  manyColumns?: boolean;
  /** Cards without labels, except those of `labelled` cells. Default: no. */
  dense?: boolean;
}

const ariaSort = { asc: 'ascending', desc: 'descending' } as const satisfies Record<SortDirection, string>;
const noRows: readonly never[] = [];
const allRows = { from: 0, to: Number.POSITIVE_INFINITY };

/**
 * A sortable table. If it is too wide, it scrolls, also by keyboard. On a phone, each row is a card, and one
 * select sorts them. Needs the namespace `table`.
 */
export function DataTable<Row extends object>({
  label,
  columns,
  rows,
  rowId,
  empty,
  expectedRows = 3,
  initialOrder,
  sorting,
  detail,
  range = allRows,
  manyColumns,
  dense,
}: DataTableProps<Row>) {
  const captionId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const overflows = useOverflows(frame);
  const hasWidths = columns.some(({ width }) => width);
  const { sorted, order, sortBy } = useSortedRows({ columns, rows: rows ?? noRows, initialOrder, sorting });

  return (
    <div
      ref={frame}
      className={classNames(
        styles.frame,
        manyColumns && styles.manyColumns,
        dense && styles.dense,
        hasWidths && styles.hasWidths,
      )}
      {...(overflows && { role: 'region', tabIndex: 0, 'aria-labelledby': captionId })}
    >
      {/* An owner keeps the order for rows that come and go, so its control stays. */}
      {(sorting !== undefined || (rows?.length !== 0 && rows?.length !== 1)) && (
        <SortControl columns={columns} order={order} onSort={sortBy} onRestore={sorting?.onRestore} />
      )}
      <table className={styles.table} aria-busy={rows === undefined || undefined}>
        <caption id={captionId} className={layout.visuallyHidden}>
          {label}
        </caption>
        {hasWidths && (
          <colgroup>
            {columns.map(({ id, width }) => (
              <col key={id} style={{ width }} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr>
            {columns.map((column) => {
              const { id, header, kind } = column;
              const direction = order?.id === id ? order.direction : undefined;
              return (
                <th
                  key={id}
                  scope="col"
                  className={classNames(styles.head, kind === 'number' && styles.number)}
                  aria-sort={direction && ariaSort[direction]}
                >
                  {column.sortBy ? (
                    <button type="button" className={styles.sort} onClick={() => sortBy(column)}>
                      {header}
                      <span
                        aria-hidden="true"
                        className={classNames(styles.arrow, direction && styles[direction])}
                      >
                        {/* A word joiner: the arrow does not wrap alone. */}
                        {'\u2060'}
                      </span>
                    </button>
                  ) : (
                    header
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows === undefined &&
            Array.from({ length: expectedRows }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: identical placeholders
              <tr key={index} className={styles.row}>
                {columns.map(({ id }) => (
                  <td key={id} className={styles.cell}>
                    <Skeleton shape="line" />
                  </td>
                ))}
              </tr>
            ))}
          {rows?.length === 0 && (
            <tr>
              <td colSpan={columns.length} className={styles.empty}>
                <div className={styles.across}>{empty}</div>
              </td>
            </tr>
          )}
          {sorted.slice(range.from, range.to).map((row) => (
            <TableRow key={rowId(row)} row={row} columns={columns} detail={detail?.(row)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const kindStyles = {
  text: undefined,
  number: styles.number,
  actions: styles.actions,
} as const satisfies Record<NonNullable<Column<never>['kind']>, string | undefined>;

const cardStyles = {
  line: styles.line,
  start: styles.start,
  labelledStart: styles.labelledStart,
  end: styles.end,
  topEnd: classNames(styles.end, styles.top),
  labelled: styles.labelled,
  labelledEnd: styles.labelledEnd,
  none: styles.none,
} as const satisfies Record<NonNullable<Column<never>['card']>, string | undefined>;

interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  detail: ReactNode;
}

function TableRow<Row>({ row, columns, detail }: RowProps<Row>) {
  return (
    <Fragment>
      <tr className={classNames(styles.row, detail ? styles.opened : undefined)}>
        {columns.map(({ id, header, kind, card, cell }, index) => {
          const Cell = index === 0 ? 'th' : 'td';
          return (
            <Cell
              key={id}
              scope={index === 0 ? 'row' : undefined}
              data-label={header}
              className={classNames(styles.cell, kind && kindStyles[kind], card && cardStyles[card])}
            >
              {cell(row)}
            </Cell>
          );
        })}
      </tr>
      {detail && (
        <tr>
          <td colSpan={columns.length} className={styles.detail}>
            <div className={styles.across}>{detail}</div>
          </td>
        </tr>
      )}
    </Fragment>
  );
}
