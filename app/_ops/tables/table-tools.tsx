import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Announcer } from '../../_components/ui/announcer';
import { Button } from '../../_components/ui/button';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import styles from './table-tools.module.css';
import { PAGE_ROWS, type Paging } from './use-paging';

interface Props<Row> {
  /** The name of the table. */
  label: string;
  /** Absent: the table shows all its rows. */
  paging?: Paging;
  /** The name of the CSV file, without its ending. */
  fileName: string;
  columns: readonly Column<Row>[];
  /** Returns all rows of the table, also those that are not loaded yet. */
  readRows(): Promise<readonly Row[]> | readonly Row[];
}

/** The line above a table: its pages, and its CSV file. Needs the namespace `ops`. */
export function TableTools<Row>({ label, paging, fileName, columns, readRows }: Props<Row>) {
  const t = useTranslations('ops.table');
  const [file, setFile] = useState<'ready' | 'busy' | 'failed'>('ready');

  async function download(): Promise<void> {
    setFile('busy');
    try {
      const [{ downloadCsv }, rows] = await Promise.all([import('./download-csv'), readRows()]);
      downloadCsv(fileName, columns, rows);
      setFile('ready');
    } catch {
      // The reason is that of every read: no connection, or a store that does not respond.
      setFile('failed');
    }
  }

  return (
    <div className={styles.tools}>
      {paging && <Pages label={label} paging={paging} />}
      <span role="status" className={layout.failed}>
        {file === 'failed' && t('csvFailed')}
      </span>
      <Button
        variant="quiet"
        aria-label={t('csvLabel', { table: label })}
        busy={file === 'busy'}
        onClick={() => void download()}
      >
        {t('csv')}
      </Button>
    </div>
  );
}

function Pages({ label, paging }: { label: string; paging: Paging }) {
  const t = useTranslations('ops.table');
  const { range, loaded, hasMore, hasPrevious, hasNext, isLoading, showPrevious, showNext } = paging;
  if (!hasPrevious && !hasNext) return null;
  const words = { from: range.from + 1, to: range.to, total: loaded };
  return (
    <nav className={layout.row2} aria-label={t('pages', { table: label })}>
      <Announcer text={t('page', { page: range.from / PAGE_ROWS + 1 })} minIntervalMs={0} urgentKey={false} />
      <span className={layout.figures}>{t(hasMore ? 'rangeOfMore' : 'range', words)}</span>
      <Button closed={!hasPrevious} onClick={showPrevious}>
        {t('previous')}
      </Button>
      <Button closed={!hasNext} busy={isLoading} onClick={showNext}>
        {t('next')}
      </Button>
    </nav>
  );
}
