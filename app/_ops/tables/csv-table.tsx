import { DataTable, type DataTableProps } from '../../_components/ui/data-table';
import { TableTools } from './table-tools';

interface Props<Row extends object> extends DataTableProps<Row> {
  /** The name of the CSV file, without its ending. */
  fileName: string;
  /** Returns all rows, if `rows` are not all. Default: `rows`. */
  readRows?: () => Promise<readonly Row[]> | readonly Row[];
}

/** A table without pages, and the button for its CSV file. Needs the namespace `ops`. */
export function CsvTable<Row extends object>({ fileName, readRows, ...table }: Props<Row>) {
  const { label, columns, rows = [] } = table;
  return (
    <>
      <TableTools {...{ label, columns, fileName }} readRows={readRows ?? (() => rows)} />
      <DataTable {...table} />
    </>
  );
}
