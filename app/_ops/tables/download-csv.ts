import type { Column } from '../../_components/ui/data-table';
import { downloadFile } from '../../_components/ui/download-file';

/** Saves the rows as a CSV file. The byte order mark makes spreadsheets read UTF-8. */
export function downloadCsv<Row>(
  fileName: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  downloadFile(`\ufeff${toCsv(columns, rows)}`, { name: `${fileName}.csv`, type: 'text/csv' });
}

/** Writes rows as CSV (RFC 4180). Columns without a value are left out. */
export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const written = columns.flatMap(({ header, csv, sortBy }) => {
    const read = csv ?? sortBy;
    return read ? [{ header, read }] : [];
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
