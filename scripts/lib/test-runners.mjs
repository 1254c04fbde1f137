import { existsSync } from 'node:fs';
import path from 'node:path';
import { StepError } from './steps.mjs';

/**
 * @typedef {object} TestFiles
 * @property {string[]} vitest
 * @property {string[]} playwright
 * @property {string[]} drills  Names of drills.
 */

/**
 * Groups test files and folders by their runner.
 *
 * @param {string[]} paths
 * @returns {TestFiles}
 * @throws {StepError} For a path that does not exist.
 */
export function groupTestFiles(paths) {
  const missing = paths.filter((name) => !existsSync(name));
  if (missing.length > 0) {
    throw new StepError(`No such file or folder: ${missing.join(', ')}`, {
      hint: 'Example: npm test -- server/limiter/limiter.integration.test.ts',
    });
  }
  const files = paths.map((name) => path.relative('.', name));
  const isStory = (/** @type {string} */ file) => file.split(path.sep)[0] === 'e2e';
  const isDrill = (/** @type {string} */ file) => path.dirname(file) === path.join('drills', 'faults');
  return {
    vitest: files.filter((file) => !isStory(file) && !isDrill(file)),
    playwright: files.filter(isStory),
    drills: files.filter(isDrill).map((file) => path.basename(file, '.ts')),
  };
}

/**
 * @typedef {(report: string) => { command: string[], env?: Record<string, string>, count: (report: any) => [passed: number, failed: number] }} Runner
 *   Returns the arguments of Node for a run that writes its report to a file, and the numbers of passed and failed tests.
 */

/** @type {(which: string[]) => Runner} */
export function vitest(which) {
  return (report) => ({
    command: [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...which,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    count: ({ numPassedTests, numFailedTests }) => [numPassedTests, numFailedTests],
  });
}

/** @type {(which: string[]) => Runner} */
export function playwright(which) {
  return (report) => ({
    command: [
      'node_modules/@playwright/test/cli.js',
      'test',
      ...which,
      '--forbid-only',
      '--reporter=line,json',
    ],
    env: { PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    count: ({ stats: { expected, unexpected } }) => [expected, unexpected],
  });
}

/** @type {(which: string[]) => Runner} */
export function drills(which) {
  return (report) => ({
    command: ['--import', 'tsx', 'drills/main.ts', ...which, `--report=${report}`],
    count: ({ passed, failed }) => [passed, failed],
  });
}
