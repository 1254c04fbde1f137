import path from 'node:path';
import { readJsonReport, withReportFile } from './json-report.mjs';
import { runCommand } from './run-command.mjs';
import { StepError } from './step-error.mjs';

/**
 * @typedef {{ file: string, name: string, ms: number }} TimedTest
 *
 * @typedef {object} Outcome
 * @property {number} passed
 * @property {number} failed
 * @property {TimedTest[]} tests
 *
 * @typedef {object} RunOptions
 * @property {import('./tally.mjs').Tally} tally  Receives the counts and times.
 * @property {(text: string) => void} note
 * @property {string[]} [files]  Only these files, with the output of the runner on the terminal. Default: all files, with
 *   output only after a failure.
 */

/**
 * Runs projects of Vitest.
 *
 * @param {string[]} projects
 * @param {RunOptions} options
 */
export function runVitest(projects, options) {
  return runWithReport(options, (report) => ({
    command: 'node_modules/.bin/vitest',
    args: [
      'run',
      ...projects.map((project) => `--project=${project}`),
      ...(options.files ?? []),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    readOutcome: ({ numPassedTests, numFailedTests, testResults }) => ({
      passed: numPassedTests,
      failed: numFailedTests,
      tests: testResults.flatMap((/** @type {any} */ { name: file, assertionResults }) =>
        assertionResults.map((/** @type {any} */ { fullName, duration }) => ({
          file: path.relative('.', file),
          name: fullName,
          ms: duration ?? 0,
        })),
      ),
    }),
  }));
}

/**
 * Runs the end-to-end tests. A test that passes only at a second attempt counts as failed.
 *
 * @param {RunOptions} options
 */
export function runPlaywright(options) {
  return runWithReport(options, (report) => ({
    command: 'node_modules/.bin/playwright',
    args: ['test', ...(options.files ?? []), '--reporter=line,json'],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report, CI: '1' },
    readOutcome: ({ stats, suites }) => ({
      passed: stats.expected,
      failed: stats.unexpected + stats.flaky,
      tests: suites.flatMap(testsOfSuite),
    }),
  }));
}

/**
 * Runs the drills in `files`. Default: the short set.
 *
 * @param {RunOptions} options
 */
export function runDrills(options) {
  return runWithReport(options, (report) => ({
    command: process.execPath,
    args: ['--import', 'tsx', 'drills/main.ts', ...(options.files ?? ['--short']), `--report=${report}`],
    readOutcome: ({ passed, failed }) => ({ passed, failed, tests: [] }),
  }));
}

/** @type {Outcome} */
const NO_OUTCOME = { passed: 0, failed: 0, tests: [] };

/**
 * @param {RunOptions} options
 * @param {(report: string) => { command: string, args: string[], env?: Record<string, string>,
 *   readOutcome: (report: any) => Outcome }} commandFor
 */
function runWithReport({ tally, note, files }, commandFor) {
  return withReportFile(async (file) => {
    const { command, args, env, readOutcome } = commandFor(file);
    const { code, output } = await runCommand(command, args, { env, show: files !== undefined });
    const report = readJsonReport(file);
    const { passed, failed: reported, tests } = report ? readOutcome(report) : NO_OUTCOME;
    // A runner that ended before it wrote its report, or a file that does not load, is one failure.
    const failed = Math.max(reported, code === 0 ? 0 : 1);
    note(`${passed} passed, ${failed} failed`);
    // The tally counts the error below as the first failure.
    tally.add(passed, Math.max(0, failed - 1), tests);
    if (failed > 0) throw new StepError(output.trim());
  });
}

/**
 * @param {any} suite  A suite of Playwright's JSON report.
 * @returns {TimedTest[]}
 */
function testsOfSuite({ suites = [], specs = [] }) {
  return [
    ...suites.flatMap(testsOfSuite),
    ...specs.map((/** @type {any} */ { file, title, tests }) => ({
      file: `e2e/${file}`,
      name: title,
      ms: tests[0]?.results[0]?.duration ?? 0,
    })),
  ];
}
