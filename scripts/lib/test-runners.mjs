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
 * @property {TimedTest[]} [unstable]  The tests that passed only at their second attempt.
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
    readOutcome: ({ numPassedTests, numFailedTests, testResults }) => {
      const tests = testResults.flatMap((/** @type {any} */ { name: file, assertionResults }) =>
        assertionResults.map((/** @type {any} */ { fullName, duration, status, failureMessages }) => ({
          file: path.relative('.', file),
          name: fullName,
          ms: duration ?? 0,
          isUnstable: status === 'passed' && failureMessages.length > 0,
        })),
      );
      return {
        passed: numPassedTests,
        failed: numFailedTests,
        tests,
        unstable: tests.filter((/** @type {any} */ { isUnstable }) => isUnstable),
      };
    },
  }));
}

/**
 * Greatest number of tests in one run of a runner that may pass only at their second attempt. They share two cores with
 * services and browsers, so a pause of seconds can hit any one of them. A fault of the product hits the same test again.
 */
const UNSTABLE_ALLOWED = 4;

/**
 * Runs the end-to-end tests.
 *
 * @param {RunOptions} options
 */
export function runPlaywright(options) {
  return runWithReport(options, (report) => ({
    command: 'node_modules/.bin/playwright',
    args: ['test', ...(options.files ?? []), '--reporter=line,json'],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report, CI: '1' },
    readOutcome: ({ stats, suites }) => {
      const specs = suites.flatMap(specsOfSuite);
      return {
        passed: stats.expected + stats.flaky,
        failed: stats.unexpected,
        tests: specs.map(timedTest),
        unstable: specs.filter(isUnstable).map(timedTest),
      };
    },
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
 * Runs a command that writes a report. The tests that pass only at their second attempt are named. They count as failed if
 * they are more than `UNSTABLE_ALLOWED`.
 *
 * @param {RunOptions} options
 * @param {(report: string) => { command: string, args: string[], env?: Record<string, string>,
 *   readOutcome: (report: any) => Outcome }} commandFor
 */
function runWithReport({ tally, note, files }, commandFor) {
  return withReportFile(async (file) => {
    const { command, args, env, readOutcome } = commandFor(file);
    const { code, output } = await runCommand(command, args, { env, show: files !== undefined });
    const report = readJsonReport(file);
    const outcome = report ? readOutcome(report) : NO_OUTCOME;
    const { tests, unstable = [] } = outcome;
    const tooUnstable = unstable.length > UNSTABLE_ALLOWED ? unstable.length : 0;
    const passed = outcome.passed - tooUnstable;
    // A runner that ended before it wrote its report, or a file that does not load, is one failure.
    const failed = Math.max(outcome.failed + tooUnstable, code === 0 ? 0 : 1);
    note(`${passed} passed, ${failed} failed${unstable.map(describeUnstable).join('')}`);
    // The tally counts the error below as the first failure.
    tally.add(passed, Math.max(0, failed - 1), tests);
    if (failed > 0) throw new StepError(output.trim());
  });
}

/** @param {TimedTest} test */
function describeUnstable({ file, name }) {
  return `\n  passed only at the second attempt: ${file}: ${name}`;
}

/**
 * @param {any} suite  A suite of Playwright's JSON report.
 * @returns {any[]}
 */
function specsOfSuite({ suites = [], specs = [] }) {
  return [...suites.flatMap(specsOfSuite), ...specs];
}

/**
 * @param {any} spec  A test of Playwright's JSON report.
 * @returns {TimedTest}
 */
function timedTest({ file, title, tests }) {
  return { file: `e2e/${file}`, name: title, ms: tests[0]?.results[0]?.duration ?? 0 };
}

/** @param {any} spec  A test of Playwright's JSON report. */
function isUnstable({ tests }) {
  return tests[0]?.status === 'flaky';
}
