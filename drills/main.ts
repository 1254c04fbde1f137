/**
 * The process behind `npm run drill`: runs the drills one after the other and prints their results. It ends with its
 * parent process, and its own child processes end with it.
 */
import { setMaxListeners } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { killServices } from '../scripts/lib/services/spawn-service.mjs';
import { allDrills } from './all-drills';
import { parseRunPlan, type RunPlan } from './options';
import { type DrillResult, runDrill } from './run-drill';
import { hasPassed, LEGEND, terminalTable } from './table';
import { writeTable } from './write-table';

const LOGS = '.data/drills';

async function main(): Promise<void> {
  const plan = parseRunPlan(process.argv.slice(2));
  if (!plan) {
    for (const { name, description } of allDrills) print(`${name.padEnd(28)} ${description}`);
    return;
  }
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  onStopRequest(() => stopping.abort());
  rmSync(LOGS, { recursive: true, force: true });
  const results: DrillResult[] = [];
  let failed = 0;
  for (let round = 1; round <= plan.times && !stopping.signal.aborted; round++) {
    for (const run of plan.runs) {
      if (stopping.signal.aborted) break;
      const result = await tryDrill(run, plan, stopping.signal);
      if (!result && stopping.signal.aborted) break;
      if (!result || !hasPassed(result)) failed += 1;
      if (result) results.push(result);
    }
    if (plan.isAll && failed === 0 && !stopping.signal.aborted)
      writeTable(results, { ...plan, times: round });
  }
  const passed = results.filter(hasPassed).length;
  if (results.length > 0) print(`\n${terminalTable(results)}\n\n${LEGEND}`);
  print(`${passed} passed, ${failed} failed`);
  if (plan.report) writeFileSync(plan.report, JSON.stringify({ passed, failed }));
  process.exitCode = failed > 0 || stopping.signal.aborted ? 1 : 0;
}

/** Runs one drill and prints its result. Returns undefined if the drill did not run to its end. */
async function tryDrill(
  { drill, ledger }: RunPlan['runs'][number],
  { size }: RunPlan,
  signal: AbortSignal,
): Promise<DrillResult | undefined> {
  const logDir = `${LOGS}/${drill.name}-${ledger}`;
  try {
    const result = await runDrill(drill, { ledger, size, logDir, signal });
    print(lineOf(result));
    if (hasPassed(result)) return result;
    for (const { rule, holds, evidence } of result.invariants)
      if (!holds) print(`    ✗ ${rule}: ${evidence}`);
    for (const problem of result.problems) print(`    ✗ ${problem}`);
    print(`    Logs: ${logDir}`);
    return result;
  } catch (error) {
    if (signal.aborted) {
      print(`${drill.name} (${ledger}) was stopped before its end`);
      return undefined;
    }
    print(`✗ ${drill.name} (${ledger}) failed before its end: ${stackOf(error)}`);
    return undefined;
  }
}

function lineOf(result: DrillResult): string {
  const { name, ledger, tookMs, confirmed, stock, worstWindow, limit, sellingAgainMs, notes } = result;
  const again = sellingAgainMs === undefined ? 'never' : `${(sellingAgainMs / 1_000).toFixed(1)} s`;
  return (
    `${hasPassed(result) ? '✓' : '✗'} ${`${name} (${ledger})`.padEnd(36)} ${(tookMs / 1_000).toFixed(1)} s  ` +
    `${confirmed}/${stock} confirmed, fullest window ${worstWindow}/${limit}, selling again after ${again}; ` +
    notes.join('; ')
  );
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Calls `stop` on the first signal. When the IPC channel closes, the parent process has ended, and this one exits. */
function onStopRequest(stop: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', () => {
    killServices();
    process.exit(1);
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

main().then(
  // An aborted fault may still wait for an event that never occurs.
  () => process.exit(),
  (error: unknown) => {
    print(error instanceof TypeError ? error.message : stackOf(error));
    process.exit(1);
  },
);
