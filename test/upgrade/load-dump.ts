import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { withPostgres } from '../with-postgres';

/** The columns of each table: name and type. */
type Tables = Map<string, { name: string; type: string }[]>;

/** A database of a former version. */
export interface DumpedDatabase {
  /** Returns all rows of each table as JSON, with the columns of the dump only. */
  rows(): Promise<Record<string, string[]>>;
}

/**
 * Loads `test/upgrade/<version>.sql` into an empty database, and moves all instants by the age of the dump, so that holds
 * keep their remaining time.
 */
export async function loadDump(url: string, version: string): Promise<DumpedDatabase> {
  const dump = await readFile(path.join(import.meta.dirname, `${version}.sql`), 'utf8');
  const takenAt = Number(/^-- Taken at (\d+)/m.exec(dump)?.[1]);
  const tables = await withPostgres(url, async (client) => {
    await client.query(dump);
    const found = await readTables(client);
    await client.query(shiftInstants(found, Date.now() - takenAt));
    return found;
  });
  return { rows: () => withPostgres(url, (client) => readRows(client, tables)) };
}

async function readTables(client: pg.Client): Promise<Tables> {
  const { rows } = await client.query<{ table: string; name: string; type: string }>(
    `select table_name as table, column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' order by table_name, column_name`,
  );
  const tables: Tables = new Map();
  for (const { table, ...column } of rows) tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}

function shiftInstants(tables: Tables, byMs: number): string {
  const updates = [...tables].flatMap(([table, columns]) => {
    const instants = columns.filter(({ type }) => type === 'timestamp with time zone');
    const moved = instants.map(({ name }) => `"${name}" = "${name}" + ${byMs} * interval '1 ms'`);
    return moved.length === 0 ? [] : [`update "${table}" set ${moved.join(', ')};`];
  });
  return updates.join('\n');
}

async function readRows(client: pg.Client, tables: Tables): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const [table, columns] of tables) {
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const { rows } = await client.query(`select ${names} from "${table}"`);
    found[table] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return found;
}
