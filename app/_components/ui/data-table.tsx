'use client';

import { useTranslations } from 'next-intl';
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { classNames } from './class-names';
import styles from './data-table.module.css';
import layout from './layout.module.css';
import { nextOrder, type Order, type SortColumn, type SortDirection, sortRows } from './sort-rows';
import { Skeleton } from './status';

export interface Column<Row> extends SortColumn<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  /** The width of the column. If one column has a width, those without share the rest. Default: by content. */
  width?: string;
  /**
   * On a card: a labelled cell, or without its label a whole line or the end of one. Default: `line` for the first column,
   * else `cell`.
   */
  card?: 'cell' | 'line' | 'end';
  /**
   * Returns the value for a CSV file; for a cell with several values, the columns of the file. Default: the sort value.
   * Columns without either are left out of the file.
   */
  csv?: ReadCell<Row> | readonly FileColumn<Row>[];
}

type ReadCell<Row> = (row: Row) => number | string | undefined;

/** A column of a CSV file. */
export interface FileColumn<Row> {
  header: string;
  read: ReadCell<Row>;
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
  /** Present if the owner sorts `rows`. Then `initialOrder` has no effect. `onRestore` restores an order that no column has. */
  sorting?: { order: Order; onSort(order: Order): void; onRestore(): void };
  /** Returns content for the full width below a row. */
  detail?: (row: Row) => ReactNode;
  /** True if a row continues the group of the row before. Default: no groups. */
  isJoined?: (row: Row) => boolean;
  /** Shows only these rows of the sorted table, counted from 0; `to` is exclusive. Default: all. */
  range?: { from: number; to: number };
  /** For many columns: rows become cards on a tablet, too, instead of a table that scrolls sideways. */
  manyColumns?: boolean;
}

const ariaSort = { asc: 'ascending', desc: 'descending' } as const satisfies Record<SortDirection, string>;

/**
 * A sortable table in one of two layouts. With room for its columns, it has rows; if these are too wide, it scrolls, also by
 * keyboard. Else, each row is a card, and one select sorts them. Needs the namespace `table`.
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
  isJoined,
  range,
  manyColumns,
}: DataTableProps<Row>) {
  const captionId = useId();
  const frame = useRef<HTMLDivElement>(null);
  const overflows = useOverflows(frame);
  const [ownOrder, setOwnOrder] = useState(initialOrder);
  const hasWidths = columns.some(({ width }) => width);

  const order = sorting ? sorting.order : ownOrder;
  const sortBy = (column: Column<Row>) => (sorting?.onSort ?? setOwnOrder)(nextOrder(order, column));
  const sortedBy = sorting ? undefined : columns.find(({ id }) => id === order?.id);
  const sorted = rows && sortedBy && order ? sortRows(rows, { ...sortedBy, ...order }) : rows;

  return (
    <div
      ref={frame}
      className={classNames(styles.frame, manyColumns && styles.manyColumns, hasWidths && styles.hasWidths)}
      {...(overflows && { role: 'region', tabIndex: 0, 'aria-labelledby': captionId })}
    >
      {/* An owner keeps the order for rows that come and go, so its control stays. */}
      {(sorting || (rows?.length !== 0 && rows?.length !== 1)) && (
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
            {columns.map((column) => (
              <Header
                key={column.id}
                column={column}
                direction={order?.id === column.id ? order.direction : undefined}
                onSort={() => sortBy(column)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {!rows &&
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
          {sorted?.slice(range?.from, range?.to).map((row) => (
            <TableRow
              key={rowId(row)}
              row={row}
              columns={columns}
              detail={detail?.(row)}
              isJoined={isJoined?.(row) ?? false}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeaderProps<Row> {
  column: Column<Row>;
  /** `undefined` while another column sorts. */
  direction: SortDirection | undefined;
  onSort(): void;
}

function Header<Row>({ column: { header, kind, sortBy }, direction, onSort }: HeaderProps<Row>) {
  return (
    <th
      scope="col"
      className={classNames(styles.head, kind === 'number' && styles.number)}
      aria-sort={direction && ariaSort[direction]}
    >
      {sortBy ? (
        <button type="button" className={styles.sort} onClick={onSort}>
          {header}
          <span aria-hidden="true" className={classNames(styles.arrow, direction && styles[direction])}>
            {/* A word joiner: the arrow does not wrap alone. */}
            {'\u2060'}
          </span>
        </button>
      ) : (
        header
      )}
    </th>
  );
}

const cardStyles = { cell: undefined, line: styles.line, end: styles.end } as const;

interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  detail: ReactNode;
  isJoined: boolean;
}

function TableRow<Row>({ row, columns, detail, isJoined }: RowProps<Row>) {
  return (
    <>
      <tr className={classNames(styles.row, isJoined && styles.joined, detail ? styles.opened : undefined)}>
        {columns.map(({ id, header, kind, card, cell }, index) => {
          const Cell = index === 0 ? 'th' : 'td';
          return (
            <Cell
              key={id}
              scope={index === 0 ? 'row' : undefined}
              data-label={header}
              className={classNames(
                styles.cell,
                kind === 'number' && styles.number,
                cardStyles[card ?? (index === 0 ? 'line' : 'cell')],
              )}
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
    </>
  );
}

interface SortControlProps<Row> {
  columns: readonly Column<Row>[];
  order: Order | undefined;
  onSort(column: Column<Row>): void;
  onRestore: (() => void) | undefined;
}

/** Sorts cards: a select, and a button for the direction. */
function SortControl<Row>({ columns, order, onSort, onRestore }: SortControlProps<Row>) {
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
    <div className={classNames(layout.hint, styles.sortControl)}>
      <div className={layout.line2}>
        <label className={classNames(layout.line2, layout.rest)}>
          {t('sortBy')}
          <select
            className={layout.rest}
            value={current?.id ?? ''}
            onChange={({ target }) => choose(target.value)}
          >
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
            <span aria-hidden="true" className={classNames(styles.arrow, styles[order.direction])} />
          </button>
        )}
      </div>
    </div>
  );
}

/** Returns true while the content is wider than the element, which then needs keyboard scrolling. */
function useOverflows(element: RefObject<HTMLElement | null>): boolean {
  const [overflows, setOverflows] = useState(false);

  useEffect(() => {
    const { current } = element;
    // The last child is the content: a control before it may be hidden.
    const inside = current?.lastElementChild;
    if (!current || !inside) return;
    const observer = new ResizeObserver(() => setOverflows(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    observer.observe(inside);
    return () => observer.disconnect();
  }, [element]);

  return overflows;
}
