import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { Button } from '../../_components/ui/button';
import { classNames } from '../../_components/ui/class-names';
import type { Column, FileColumn } from '../../_components/ui/data-table';
import { downloadFile } from '../../_components/ui/download-file';
import layout from '../../_components/ui/layout.module.css';
import styles from './tables.module.css';

/** A page of a list. */
interface RowPage<Row> {
  rows: readonly Row[];
  nextCursor?: string | undefined;
}

export interface CsvButtonProps<Row> {
  /** The name of the table. */
  label: string;
  /** The name of the CSV file, without its ending. */
  fileName: string;
  columns: readonly Column<Row>[];
  /** The loaded rows. Without any, there is no button. */
  rows: readonly Row[] | undefined;
  /** Reads a page of the table, for one whose `rows` may not be all. The first page has no cursor. */
  readPage?: ((cursor: string | undefined) => Promise<RowPage<Row>>) | undefined;
}

/** Downloads a table as a CSV file. Place it next to the heading. Needs the namespace `ops`. */
export function CsvButton<Row>({ label, fileName, columns, rows = [], readPage }: CsvButtonProps<Row>) {
  const t = useTranslations('ops.table');
  const [file, setFile] = useState<'ready' | 'busy' | 'failed'>('ready');

  async function download(): Promise<void> {
    setFile('busy');
    try {
      const all = readPage ? await readAllPages(readPage) : rows;
      // The byte order mark makes spreadsheets read UTF-8.
      downloadFile(`\ufeff${toCsv(columns, all)}`, { name: `${fileName}.csv`, type: 'text/csv' });
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

/** Reads a list to its end, page by page. */
async function readAllPages<Row>(
  readPage: (cursor: string | undefined) => Promise<RowPage<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    rows.push(...page.rows);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return rows;
}

/** Writes rows as CSV (RFC 4180). Columns without a value are left out. */
export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(({ header, csv, sortBy }) => {
    const read = csv ?? sortBy;
    if (typeof read !== 'function') return read ?? [];
    return [{ header, read }];
  });
  const lines = [
    written.map(({ header }) => header),
    ...rows.map((row) => written.map(({ read }) => read(row))),
  ];
  return lines.map((line) => `${line.map(toField).join(',')}\r\n`).join('');
}

/** The first characters of formulas, and white space, which some spreadsheets remove from the beginning of a formula. */
const FORMULA = /^[\s=+\-@\u2212]/;

/** Quotes a text where CSV needs it. A text that a spreadsheet would run as a formula gets an apostrophe. */
function toField(value: number | string | undefined): string {
  if (value === undefined || typeof value === 'number') return String(value ?? '');
  // NFKC makes ＝＋－＠ of full width, which Chinese and Japanese spreadsheets also run, plain.
  const text = FORMULA.test(value.normalize('NFKC')) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes epoch ms for a CSV file, in UTC: `2026-11-22T18:07:00.000Z`. */
export function toCsvInstant(at: number): string {
  return new Date(at).toISOString();
}

/** Returns a column of money for a CSV file, with its ISO currency in the header: `Price (EUR)`, `9.90`. */
export function moneyFileColumn<Row>(header: string, readCents: (row: Row) => number): FileColumn<Row> {
  return { header: `${header} (EUR)`, read: (row) => (readCents(row) / 100).toFixed(2) };
}

/** Returns a column of durations for a CSV file, in seconds as on the page: `Window (s)`, `10`. */
export function secondsFileColumn<Row>(
  header: string,
  readMs: (row: Row) => number | undefined,
): FileColumn<Row> {
  return {
    header: `${header} (s)`,
    read(row) {
      const ms = readMs(row);
      return ms === undefined ? undefined : ms / 1_000;
    },
  };
}
