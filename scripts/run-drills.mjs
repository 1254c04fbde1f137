import { readJsonReport, withReportFile } from './json-report.mjs';
import { runCommand } from './run-command.mjs';
import { StepError } from './step-error.mjs';

/**
 * Runs the short set of drills and adds them to the tally.
 *
 * @param {import('./tally.mjs').Tally} tally
 * @param {(text: string) => void} note
 */
export async function runDrills(tally, note) {
  await withReportFile(async (file) => {
    const drills = ['--import', 'tsx', 'test/drills/main.ts', '--short', `--report=${file}`];
    const { code, output } = await runCommand(process.execPath, drills);
    const report = readJsonReport(file);
    const passed = Number(report?.passed ?? 0);
    // A run that ended before it told has failed as a whole.
    const failed = Math.max(Number(report?.failed ?? 0), code === 0 ? 0 : 1);
    note(`${passed} passed, ${failed} failed`);
    // The error below counts as the first failure.
    tally.add(passed, Math.max(0, failed - 1));
    if (failed > 0) throw new StepError(output.trim());
  });
}
