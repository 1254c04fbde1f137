import { type Column, DataTable, type DataTableProps } from '../../_components/ui/data-table';
import { TableTools } from './table-tools';

interface Props<Row extends object> extends DataTableProps<Row> {
  /** The name of the CSV file, without its ending. */
  fileName: string;
  /** The columns of the file. Default: those of the table. */
  fileColumns?: readonly Column<Row>[];
  /** Returns all rows, if `rows` are not all. Default: `rows`. */
  readRows?: () => Promise<readonly Row[]> | readonly Row[];
}

/** A table without pages, and the button for its CSV file. Needs the namespace `ops`. */
export function CsvTable<Row extends object>({ fileName, fileColumns, readRows, ...table }: Props<Row>) {
  const { label, columns, rows = [] } = table;
  return (
    <>
      <TableTools
        {...{ label, fileName }}
        columns={fileColumns ?? columns}
        readRows={readRows ?? (() => rows)}
      />
      <DataTable {...table} />
    </>
  );
}
