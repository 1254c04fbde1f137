import type { DrillResult } from './run-drill';

const HEAD = [
  'drill',
  'what happened',
  'shoppers',
  'calls',
  'confirmed / stock',
  'fullest window / limit',
  'selling again after',
  '1',
  '2',
  '3',
  '4',
  '5',
  'told true',
];

/** What the numbers in the head of the table stand for. */
export const LEGEND =
  '1 confirmed ≤ stock · 2 one order per shopper · 3 every confirmation seen is in Postgres · ' +
  '4 remaining + reserved + sold = total · 5 admitted ≤ limit in every window while Redis was whole · ' +
  'told true: wallets, sale page and `/readyz` all along · selling again: from the fault to the first confirmation of a ' +
  'call made after it; a window that was full by then lets nobody in for up to 10 s of that';

export function hasPassed({ invariants, problems }: DrillResult): boolean {
  return problems.length === 0 && invariants.every(({ holds }) => holds);
}

/** A table for a terminal. */
export function terminalTable(results: readonly DrillResult[]): string {
  const rows = [HEAD, ...results.map(cells)].map((row) => row.filter((_cell, column) => column !== 1));
  const widths =
    rows[0]?.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The same for a document. */
export function markdownTable(results: readonly DrillResult[]): string {
  const rows = [HEAD, HEAD.map(() => '---'), ...results.map(cells)];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function cells(result: DrillResult): string[] {
  const { name, what, ledger, shoppers, calls, confirmed, stock, worstWindow, limit, sellingAgainMs } =
    result;
  return [
    ledger === 'postgres' ? name : `${name} (${ledger})`,
    what,
    String(shoppers),
    String(calls),
    `${confirmed} / ${stock}`,
    `${worstWindow} / ${limit}`,
    sellingAgainMs === undefined ? 'never' : `${(sellingAgainMs / 1_000).toFixed(1)} s`,
    ...result.invariants.map(({ holds }) => mark(holds)),
    mark(result.problems.length === 0),
  ];
}

function mark(holds: boolean): string {
  return holds ? '✓' : '✗';
}
