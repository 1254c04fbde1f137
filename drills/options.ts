import { parseArgs } from 'node:util';
import { drills } from './catalogue';
import type { Drill, SaleSize } from './drill';
import { fullSize, shortSize } from './run-drill';
import type { LedgerKind } from './topology';

/** What a run of drills does. */
export interface RunPlan {
  runs: { drill: Drill; ledger: LedgerKind }[];
  size: SaleSize;
  /** How many times in a row each is run. */
  times: number;
  /** Whether the table is written into docs/architecture.md. */
  isAll: boolean;
  /** A file that takes how many passed and failed, as JSON. */
  report: string | undefined;
}

/** Of the command line. `undefined`: it asked for the list. Throws a sentence where it makes no sense. */
export function readPlan(args: string[]): RunPlan | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      all: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      times: { type: 'string', default: '1' },
      ledger: { type: 'string' },
      report: { type: 'string' },
    },
  });
  if (values.list) return undefined;
  const times = Number(values.times);
  if (!Number.isInteger(times) || times < 1) throw new TypeError('--times takes a whole number from 1 on.');
  const { ledger } = values;
  if (ledger !== undefined && ledger !== 'postgres' && ledger !== 'pglite') {
    throw new TypeError('--ledger takes postgres or pglite.');
  }
  const plan = { size: values.short ? shortSize : fullSize, times, isAll: values.all, report: values.report };
  if (values.all) return { ...plan, runs: everyRun(ledger) };
  if (positionals.length > 0) return { ...plan, runs: positionals.map((name) => runOf(name, ledger)) };
  if (values.short) return { ...plan, runs: SHORT.map(({ name, on }) => runOf(name, ledger ?? on)) };
  return { ...plan, runs: HANDFUL.map((name) => runOf(name, ledger)) };
}

/** What `npm test` runs: one of each topology, and one on PGlite. */
const SHORT: readonly { name: string; on: LedgerKind }[] = [
  { name: 'redis-killed', on: 'postgres' },
  { name: 'redis-emptied', on: 'pglite' },
  { name: 'node-killed', on: 'postgres' },
];
const HANDFUL = ['redis-killed', 'redis-emptied', 'node-killed', 'cluster-failover', 'postgres-killed'];

/** Each drill on a real server, and once more on PGlite where that is another story. */
function everyRun(only: LedgerKind | undefined): RunPlan['runs'] {
  return drills.flatMap((drill) =>
    drill.ledgers
      .filter((ledger) => only === undefined || ledger === only)
      .map((ledger) => ({ drill, ledger })),
  );
}

function runOf(name: string, ledger: LedgerKind | undefined): { drill: Drill; ledger: LedgerKind } {
  const drill = drills.find((one) => one.name === name);
  if (!drill) throw new TypeError(`There is no drill ${name}. --list names them.`);
  const on = ledger ?? drill.ledgers[0] ?? 'postgres';
  if (!drill.ledgers.includes(on)) throw new TypeError(`${name} does not run on ${on}.`);
  return { drill, ledger: on };
}
