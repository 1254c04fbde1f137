import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCommand } from '../scripts/lib/processes.mjs';
import { isFull } from '../test/property';
import { figures } from './figures/figures';

/** These start a dozen processes each, or build the pages. `npm run drill -- --oracle` measures them, too. */
const SLOW_FIGURES = ['decisions', 'exactness', 'adapters', 'viewers', 'ledger', 'growth', 'queue', 'leases'];

test('each chosen figure of the benchmark runs', { timeout: 180_000 }, async () => {
  const names = figures.map(({ name }) => name).filter((name) => isFull || !SLOW_FIGURES.includes(name));
  const args = ['--import', 'tsx', 'bench/run.ts', '--smoke', '--only', names.join(',')];
  const { code, output } = await runCommand(process.execPath, args);
  for (const name of names) expect(output).toMatch(new RegExp(`^✓ ${name} `, 'm'));
  expect(code).toBe(0);
  const hasPeers = existsSync('bench/node_modules/rate-limiter-flexible');
  expect(output.includes('not installed, left out: ')).toBe(!hasPeers);
});
