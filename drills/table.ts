import { table } from '../bench/harness/report';
import type { DrillResult } from './run-drill';

const HEADINGS = [
  'drill',
  'what happened',
  'shoppers',
  'calls',
  'confirmed / stock',
  'fullest window / limit',
  'selling again after',
  'stock',
  'once',
  'kept',
  'sum',
  'limit',
  'true',
];

/** Explains the headings of the table. */
export const LEGEND =
  'stock: confirmed ≤ stock · once: one order per shopper · kept: every confirmation seen is in Postgres · ' +
  'sum: remaining + reserved + sold = total · limit: admitted ≤ limit in every window while Redis kept its data · ' +
  'true: wallets, sale page and `/readyz` were consistent throughout · selling again: from the fault to the first ' +
  'confirmation of a call sent after it; a window that is full at the fault refuses calls for up to 10 s of that';

export function hasPassed({ invariants, problems }: DrillResult): boolean {
  return problems.length === 0 && invariants.every(({ holds }) => holds);
}

/** Formats the results as a table for a terminal, without the descriptions. */
export function terminalTable(results: readonly DrillResult[]): string {
  const isShown = (_cell: string, column: number) => column !== 1;
  const rows = results.map((result) => cells(result).filter(isShown));
  return alignColumns(HEADINGS.filter(isShown), rows).join('\n');
}

/** Formats the results as a Markdown table. */
export function markdownTable(results: readonly DrillResult[]): string {
  return table(HEADINGS, results.map(cells), { text: [...HEADINGS.keys()] });
}

function cells(result: DrillResult): string[] {
  const { name, description, ledger, shoppers, calls, confirmed, stock, worstWindow, limit, sellingAgainMs } =
    result;
  return [
    ledger === 'postgres' ? name : `${name} (${ledger})`,
    description,
    String(shoppers),
    String(calls),
    `${confirmed} / ${stock}`,
    `${worstWindow} / ${limit}`,
    sellingAgainMs === undefined ? 'never' : `${(sellingAgainMs / 1_000).toFixed(1)} s`,
    ...result.invariants.map(({ holds }) => mark(holds)),
    mark(result.problems.length === 0),
  ];
}

/** Aligns cells below their headings: the first column to the left, the others to the right. */
function alignColumns(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  return [heads, ...rows].map((cells) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  '),
  );
}

function mark(holds: boolean): string {
  return holds ? '✓' : '✗';
}
