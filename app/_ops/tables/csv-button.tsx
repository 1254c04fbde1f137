import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import type { Column } from '../../_components/ui/data-table';
import layout from '../../_components/ui/layout.module.css';
import styles from './csv-button.module.css';
import { type RowPage, readAllPages } from './read-all-pages';

interface Props<Row> {
  /** The name of the table. */
  label: string;
  /** The name of the CSV file, without its ending. */
  fileName: string;
  columns: readonly Column<Row>[];
  /** The loaded rows. Without any, there is no button. */
  rows: readonly Row[] | undefined;
  /** Reads a page of the table, for one whose `rows` may not be all. The first page has no cursor. */
  readPage?: (cursor: string | undefined) => Promise<RowPage<Row>>;
}

/** Downloads a table as a CSV file. Place it next to the heading. Needs the namespace `ops`. */
export function CsvButton<Row>({ label, fileName, columns, rows = [], readPage }: Props<Row>) {
  const t = useTranslations('ops.table');
  const [file, setFile] = useState<'ready' | 'busy' | 'failed'>('ready');

  async function download(): Promise<void> {
    setFile('busy');
    try {
      const [{ downloadCsv }, all] = await Promise.all([
        import('./download-csv'),
        readPage ? readAllPages(readPage) : rows,
      ]);
      downloadCsv(fileName, columns, all);
      setFile('ready');
    } catch {
      // The reason is that of every read: no connection, or a store that does not respond.
      setFile('failed');
    }
  }

  if (rows.length === 0) return null;
  return (
    <>
      <span role="status" className={classNames(layout.failed, layout.hiddenIfEmpty)}>
        {file === 'failed' && t('csvFailed')}
      </span>
      <Button
        variant="quiet"
        className={styles.csv}
        aria-label={t('csvLabel', { table: label })}
        busy={file === 'busy'}
        onClick={() => void download()}
      >
        {t('csv')}
      </Button>
    </>
  );
}
