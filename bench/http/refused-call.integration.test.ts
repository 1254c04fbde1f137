import { expect, test } from 'vitest';
import { runCommand } from '../../scripts/lib/processes.mjs';

test('the benchmark of refused calls runs, and every answer has the expected status', async () => {
  const { code, output } = await runCommand(process.execPath, ['bench/refused-call.mjs', '--quick']);
  expect(output).toMatch(/round 1 .* µs/);
  expect(code).toBe(0);
});
