import { parseArgs } from 'node:util';
import { allDrills } from './all-drills';
import { type Drill, fullSize, type SaleSize, shortSize } from './drill';
import type { LedgerKind } from './topology';

/** The drills of one run and its options. */
export interface RunPlan {
  runs: { drill: Drill; ledger: LedgerKind }[];
  size: SaleSize;
  /** The number of consecutive rounds. */
  times: number;
  /** True writes the table into docs/architecture.md. */
  isAll: boolean;
  /** The file that receives the numbers of passed and failed drills, as JSON. */
  report: string | undefined;
}

/** Parses the command line. Returns undefined for `--list`. Throws a TypeError for an invalid option. */
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
  if (!Number.isInteger(times) || times < 1)
    throw new TypeError('--times must be a whole number of at least 1.');
  const { ledger } = values;
  if (ledger !== undefined && ledger !== 'postgres' && ledger !== 'pglite') {
    throw new TypeError('--ledger must be postgres or pglite.');
  }
  const plan = { size: values.short ? shortSize : fullSize, times, isAll: values.all, report: values.report };
  if (values.all) return { ...plan, runs: listRuns(ledger) };
  if (positionals.length > 0) return { ...plan, runs: positionals.map((name) => createRun(name, ledger)) };
  if (values.short) return { ...plan, runs: SHORT_RUN.map(({ name, on }) => createRun(name, ledger ?? on)) };
  return { ...plan, runs: DEFAULT_DRILLS.map((name) => createRun(name, ledger)) };
}

/** The drills of `npm test`: one of each topology, and one on PGlite. */
const SHORT_RUN: readonly { name: string; on: LedgerKind }[] = [
  { name: 'redis-emptied', on: 'pglite' },
  { name: 'node-killed', on: 'postgres' },
];
/** The drills of `npm run drill` without a name. */
const DEFAULT_DRILLS = [
  'redis-killed',
  'redis-emptied',
  'node-killed',
  'cluster-failover',
  'postgres-killed',
];

/** Lists each drill with each of its ledgers. */
function listRuns(only: LedgerKind | undefined): RunPlan['runs'] {
  return allDrills.flatMap((drill) =>
    drill.ledgers
      .filter((ledger) => only === undefined || ledger === only)
      .map((ledger) => ({ drill, ledger })),
  );
}

function createRun(name: string, ledger: LedgerKind | undefined): { drill: Drill; ledger: LedgerKind } {
  const drill = allDrills.find((one) => one.name === name);
  if (!drill) throw new TypeError(`There is no drill ${name}. --list prints all names.`);
  const on = ledger ?? drill.ledgers[0] ?? 'postgres';
  if (!drill.ledgers.includes(on)) throw new TypeError(`${name} does not run on ${on}.`);
  return { drill, ledger: on };
}
