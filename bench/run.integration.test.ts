import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCommand } from '../scripts/lib/run-command.mjs';
import { figures } from './run/figures.mjs';

test('every figure of the benchmark can be measured', { timeout: 180_000 }, async () => {
  const { code, output } = await runCommand(process.execPath, ['bench/run.mjs', '--smoke']);
  for (const { name } of figures) expect(output).toMatch(new RegExp(`^✓ ${name} `, 'm'));
  expect(code).toBe(0);
  const hasPeers = existsSync('bench/node_modules/rate-limiter-flexible');
  expect(output.includes('not installed, left out: ')).toBe(!hasPeers);
});
