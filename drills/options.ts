import { parseArgs } from 'node:util';
import { allDrills } from './all-drills';
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
export function parseRunPlan(args: string[]): RunPlan | undefined {
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
  if (values.all) return { ...plan, runs: listRuns(ledger) };
  if (positionals.length > 0) return { ...plan, runs: positionals.map((name) => createRun(name, ledger)) };
  if (values.short) return { ...plan, runs: SHORT_RUN.map(({ name, on }) => createRun(name, ledger ?? on)) };
  return { ...plan, runs: DEFAULT_DRILLS.map((name) => createRun(name, ledger)) };
}

/** What `npm test` runs: one of each topology, and one on PGlite. */
const SHORT_RUN: readonly { name: string; on: LedgerKind }[] = [
  { name: 'redis-killed', on: 'postgres' },
  { name: 'redis-emptied', on: 'pglite' },
  { name: 'node-killed', on: 'postgres' },
];
const DEFAULT_DRILLS = [
  'redis-killed',
  'redis-emptied',
  'node-killed',
  'cluster-failover',
  'postgres-killed',
];

/** Each drill on a real server, and once more on PGlite where that is another story. */
function listRuns(only: LedgerKind | undefined): RunPlan['runs'] {
  return allDrills.flatMap((drill) =>
    drill.ledgers
      .filter((ledger) => only === undefined || ledger === only)
      .map((ledger) => ({ drill, ledger })),
  );
}

function createRun(name: string, ledger: LedgerKind | undefined): { drill: Drill; ledger: LedgerKind } {
  const drill = allDrills.find((one) => one.name === name);
  if (!drill) throw new TypeError(`There is no drill ${name}. --list names them.`);
  const on = ledger ?? drill.ledgers[0] ?? 'postgres';
  if (!drill.ledgers.includes(on)) throw new TypeError(`${name} does not run on ${on}.`);
  return { drill, ledger: on };
}
