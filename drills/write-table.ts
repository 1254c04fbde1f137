import { execFileSync } from 'node:child_process';
import { describeMachine, writeSection } from '../bench/harness/section';
import { findPostgres, findRedisServer, programEnv } from '../scripts/lib/tools.mjs';
import type { RunPlan } from './options';
import type { DrillResult } from './run-drill';
import { LEGEND, markdownTable } from './table';

/** Writes the results of `--all` between the markers in docs/architecture.md. */
export function writeTable(results: readonly DrillResult[], { times }: RunPlan): void {
  const text = [aboutRun(times), markdownTable(selectSlowest(results)), LEGEND].join('\n\n');
  writeSection('docs/architecture.md', 'drills', text, { command: 'npm run drill -- --all' });
}

function aboutRun(times: number): string {
  const date = new Date().toISOString().slice(0, 10);
  const inARow = times === 1 ? 'once' : `${times} times in a row`;
  const versions = [redisVersion(), postgresVersion(), 'PGlite'].join(', ');
  return (
    `Written by \`npm run drill -- --all${times === 1 ? '' : ` --times ${times}`}\` on ${date}: each drill ${inARow}, ` +
    `on ${describeMachine('simulate the shoppers')}; ${versions}.` +
    (times === 1 ? '' : ' Each row is the run that took longest to sell again.')
  );
}

/** Returns one result for each drill and ledger: the slowest to sell again. */
function selectSlowest(results: readonly DrillResult[]): DrillResult[] {
  const slowest = new Map<string, DrillResult>();
  for (const result of results) {
    const key = `${result.name} ${result.ledger}`;
    const known = slowest.get(key);
    if (!known || (result.sellingAgainMs ?? 0) > (known.sellingAgainMs ?? 0)) slowest.set(key, result);
  }
  return [...slowest.values()];
}

function redisVersion(): string {
  const server = findRedisServer();
  if (!server) return 'Redis';
  return `Redis ${/v=(\S+)/.exec(readVersionText(server.binary, server.libraryPath))?.[1] ?? ''}`;
}

function postgresVersion(): string {
  const server = findPostgres();
  if (!server) return 'Postgres';
  return `Postgres ${/\d+(\.\d+)*/.exec(readVersionText(`${server.binDir}/postgres`, server.libraryPath))?.[0] ?? ''}`;
}

function readVersionText(binary: string, libraryPath: string | undefined): string {
  return execFileSync(binary, ['--version'], { env: programEnv(libraryPath), encoding: 'utf8' });
}
