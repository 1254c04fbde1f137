import { readJsonReport, withReportFile } from './json-report.mjs';
import { runCommand } from './run-command.mjs';
import { StepError } from './step-error.mjs';

/**
 * Runs the end-to-end tests and adds them to the tally. A test that passed only when it was tried again counts as
 * failed: it found something.
 *
 * @param {import('./tally.mjs').Tally} tally
 * @param {(text: string) => void} note
 */
export async function runPlaywright(tally, note) {
  await withReportFile(async (file) => {
    const { code, output } = await runCommand(
      'node_modules/.bin/playwright',
      ['test', '--reporter=line,json'],
      { env: { PLAYWRIGHT_JSON_OUTPUT_FILE: file, CI: '1' } },
    );
    const stats = readJsonReport(file)?.stats;
    const passed = Number(stats?.expected ?? 0);
    const failed = Math.max(Number(stats?.unexpected ?? 0) + Number(stats?.flaky ?? 0), code === 0 ? 0 : 1);
    note(`${passed} passed, ${failed} failed`);
    // The error below counts as the first failure.
    tally.add(passed, Math.max(0, failed - 1));
    if (failed > 0) throw new StepError(output.trim());
  });
}
