import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { findPostgres } from '../scripts/lib/services/find-postgres.mjs';
import { findRedisServer } from '../scripts/lib/services/find-redis-server.mjs';
import type { RunPlan } from './options';
import type { DrillResult } from './run-drill';
import { LEGEND, markdownTable } from './table';

const FILE = 'docs/architecture.md';
const BEGIN = '<!-- drills:begin -->';
const END = '<!-- drills:end -->';

/** Writes the results of `--all` between the markers in docs/architecture.md. */
export function writeTable(results: readonly DrillResult[], { times }: RunPlan): void {
  const block = [BEGIN, aboutRun(times), markdownTable(selectSlowest(results)), LEGEND, END].join('\n\n');
  const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '# Architecture\n\n## Drills\n';
  const [from, to] = [before.indexOf(BEGIN), before.indexOf(END)];
  const after =
    from >= 0 && to > from
      ? before.slice(0, from) + block + before.slice(to + END.length)
      : `${before.trimEnd()}\n\n${block}\n`;
  writeFileSync(FILE, after);
}

function aboutRun(times: number): string {
  const date = new Date().toISOString().slice(0, 10);
  const inARow = times === 1 ? 'once' : `${times} times in a row`;
  const versions = [`Node ${process.versions.node}`, redisVersion(), postgresVersion(), 'PGlite'].join(', ');
  return (
    `Written by \`npm run drill -- --all${times === 1 ? '' : ` --times ${times}`}\` on ${date}: each drill ${inARow}, ` +
    `on ${os.availableParallelism()} cores that also simulate the shoppers. ${versions}.` +
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
  const env = { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
  return execFileSync(binary, ['--version'], { env, encoding: 'utf8' });
}
