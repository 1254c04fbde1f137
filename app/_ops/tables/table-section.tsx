import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { Announcer } from '../../_components/ui/announcer';
import { Button } from '../../_components/ui/button';
import { type Column, DataTable, type DataTableProps } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import { Section } from '../../_components/ui/page-parts';
import { ClockTime, Identifier } from '../formats';
import { CsvButton, type CsvButtonProps, toCsvInstant } from './csv-button';

/** Rows on one page. */
const PAGE_ROWS = 20;

interface Props<Row>
  extends Omit<DataTableProps<Row>, 'label' | 'range'>,
    Pick<CsvButtonProps<Row>, 'fileName' | 'readPage'> {
  /** The heading, and the name of the table. */
  title: string;
  lead: string;
  /** Buttons after that of the CSV file. */
  actions?: ReactNode;
  /** Shown above the table. */
  children?: ReactNode;
  /** The infinite query of `rows`. Absent: `rows` are the whole list. */
  query?: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): Promise<unknown> };
  /** The name of the list, if `rows` can become those of another one, which begins with its first page. */
  list?: string;
}

/** A table with its heading and its CSV file, 20 rows per page. Needs the namespaces `ops` and `table`. */
export function TableSection<Row extends object>(props: Props<Row>) {
  const { title, lead, fileName, readPage, actions, children, query, list, ...table } = props;
  const { columns, rows } = table;
  const t = useTranslations('ops.table');
  const [shown, setShown] = useState({ list, page: 0 });

  const loaded = rows?.length ?? 0;
  const hasMore = query?.hasNextPage ?? false;
  // The list may have become shorter.
  const lastPage = Math.max(0, Math.ceil(loaded / PAGE_ROWS) - 1);
  const page = shown.list === list ? Math.min(shown.page, lastPage) : 0;
  const range = { from: page * PAGE_ROWS, to: Math.min((page + 1) * PAGE_ROWS, loaded) };
  const hasNext = range.to < loaded || hasMore;

  async function showNext(): Promise<void> {
    // A page that is shown is complete.
    if (hasMore && range.from + 2 * PAGE_ROWS > loaded) await query?.fetchNextPage();
    setShown({ list, page: page + 1 });
  }

  return (
    <Section
      title={title}
      lead={lead}
      actions={
        <>
          <CsvButton label={title} {...{ fileName, columns, rows, readPage }} />
          {actions}
        </>
      }
    >
      {children}
      {(page > 0 || hasNext) && (
        <nav className={layout.row2} aria-label={t('pages', { table: title })}>
          <Announcer text={t('page', { page: page + 1 })} minIntervalMs={0} urgentKey={false} />
          <span className={layout.figures}>
            {t(hasMore ? 'rangeOfMore' : 'range', { from: range.from + 1, to: range.to, total: loaded })}
          </span>
          <Button closed={page === 0} onClick={() => setShown({ list, page: page - 1 })}>
            {t('previous')}
          </Button>
          <Button closed={!hasNext} busy={query?.isFetchingNextPage} onClick={() => void showNext()}>
            {t('next')}
          </Button>
        </nav>
      )}
      <DataTable label={title} {...table} range={range} />
    </Section>
  );
}

type ColumnFrame = Pick<Column<never>, 'id' | 'header' | 'width' | 'card'>;

/** Returns a column of instants, epoch ms. They are exact in the CSV file. Default precision: `second`. */
export function instantColumn<Row>(
  column: ColumnFrame,
  readAt: (row: Row) => number | undefined,
  precision: 'second' | 'minute' = 'second',
): Column<Row> {
  return {
    ...column,
    sortBy: readAt,
    csv: (row) => mapDefined(readAt(row), toCsvInstant),
    cell: (row) => mapDefined(readAt(row), (at) => <ClockTime at={at} to={precision} />),
  };
}

/** Returns a column of ids, which are whole in the CSV file. */
export function idColumn<Row>(column: ColumnFrame, readId: (row: Row) => string | undefined): Column<Row> {
  return {
    ...column,
    csv: readId,
    cell: (row) => mapDefined(readId(row), (id) => <Identifier id={id} />),
  };
}

function mapDefined<Value, Result>(
  value: Value | undefined,
  map: (value: Value) => Result,
): Result | undefined {
  return value === undefined ? undefined : map(value);
}
