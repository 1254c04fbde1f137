/** A page of a list. */
export interface RowPage<Row> {
  rows: readonly Row[];
  nextCursor?: string | undefined;
}

/** Reads a list to its end, page by page. `readPage` gets the cursor of its page; `undefined` for the first. */
export async function readAllPages<Row>(
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
