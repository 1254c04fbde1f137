import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { typeCheckArgs } from './build-app.mjs';
import { StepError } from './steps.mjs';

/** The messages of this commit and its ancestors are not checked: the rules are younger. */
const COMMIT_RULES_SINCE = '18e7dd62a5d96b533dc433a1391978ffa9b679ce';

/** The folders with source code. */
const sourceFolders = ['server', 'app', 'scripts', 'drills', 'bench', 'test', 'e2e'];

/**
 * @typedef {object} Check
 * @property {string} name
 * @property {string[]} command
 * @property {string} fix  The command that fixes a problem or shows more.
 * @property {boolean} [hasNote]  True if the output of a check that passes belongs on its line.
 */

/** @type {Check[]} */
const checks = [
  {
    name: 'format, lint',
    command: ['biome', 'check', '--error-on-warnings'],
    fix: 'npx biome check --write',
  },
  {
    name: 'types',
    command: ['node', ...typeCheckArgs('tsconfig.json')],
    fix: `node ${typeCheckArgs('tsconfig.json').join(' ')}`,
  },
  {
    name: 'import rules',
    command: ['depcruise', ...sourceFolders, '--config', '.dependency-cruiser.cjs'],
    fix: `npx depcruise ${sourceFolders.join(' ')}`,
  },
  { name: 'dead code', command: ['knip'], fix: 'npx knip' },
  {
    name: 'package',
    command: ['node', '--import', 'tsx', 'scripts/package.ts', '--check'],
    fix: 'node --import tsx scripts/package.ts --check',
    hasNote: true,
  },
];

/** @type {Check} */
const commitCheck = {
  name: 'commits',
  command: ['commitlint', '--from', COMMIT_RULES_SINCE],
  fix: `npx commitlint --from ${COMMIT_RULES_SINCE}`,
};

/** Lists the checks. Commits are not checked where the history is not there, as in a shallow clone. */
export function listChecks() {
  const { status } = spawnSync('git', ['merge-base', '--is-ancestor', COMMIT_RULES_SINCE, 'HEAD']);
  return (status === 0 ? [...checks, commitCheck] : checks).map(
    ({ command: [program = '', ...args], ...rest }) => ({
      ...rest,
      command: [program === 'node' ? process.execPath : `node_modules/.bin/${program}`, ...args],
    }),
  );
}

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
      '--allowOnly=false',
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
    count: ({ stats: { expected, unexpected, flaky } }) => [expected, unexpected + flaky],
  });
}

/** @type {(which: string[]) => Runner} */
export function drills(which) {
  return (report) => ({
    command: ['--import', 'tsx', 'drills/main.ts', ...which, `--report=${report}`],
    count: ({ passed, failed }) => [passed, failed],
  });
}
