import { readJsonReport, withReportFile } from './json-report.mjs';
import { runCommand } from './run-command.mjs';
import { StepError } from './step-error.mjs';

/**
 * Runs one Vitest project and adds its tests to the tally.
 *
 * @param {'unit' | 'integration' | 'serial'} project
 * @param {import('./tally.mjs').Tally} tally
 * @param {(text: string) => void} note
 */
export async function runVitest(project, tally, note) {
  await withReportFile(async (file) => {
    const { code, output } = await runCommand('node_modules/.bin/vitest', [
      'run',
      '--project',
      project,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
    ]);
    const report = readJsonReport(file);
    const passed = Number(report?.numPassedTests ?? 0);
    // A file that fails to load has no failed test, yet it is a failure.
    const failed = Math.max(Number(report?.numFailedTests ?? 0), code === 0 ? 0 : 1);
    note(`${passed} passed, ${failed} failed`);
    // The error below counts as the first failure.
    tally.add(passed, Math.max(0, failed - 1));
    if (failed > 0) throw new StepError(output.trim());
  });
}
