import { describeError } from './step-error.mjs';

/** Rows of each list of slow files and tests. */
const MAX_ROWS = 10;
/** A run without a slower test prints no lists. */
const SLOW_MS = 5_000;

/**
 * @typedef {import('./test-runners.mjs').TimedTest} TimedTest
 *
 * @typedef {object} Tally
 * @property {(passed: number, failed: number, tests?: TimedTest[]) => void} add
 * @property {(steps: import('./steps.mjs').Steps, name: string, work: (note: (text: string) => void) =>
 *   Promise<void>, options?: { countsWhenPassed?: boolean }) => Promise<boolean>} step
 *   Runs one step, counts it, and prints its error. Never throws, so that the other steps also run.
 * @property {() => void} conclude  Prints the slowest files and tests and the last line, and sets the exit code.
 */

/**
 * Adds up passed and failed steps and tests.
 *
 * @returns {Tally}
 */
export function createTally() {
  const sum = { passed: 0, failed: 0 };
  /** @type {TimedTest[]} */
  const timed = [];
  return {
    add(passed, failed, tests = []) {
      sum.passed += passed;
      sum.failed += failed;
      timed.push(...tests);
    },
    async step(steps, name, work, { countsWhenPassed = true } = {}) {
      try {
        await steps.run(name, work);
        if (countsWhenPassed) sum.passed += 1;
        return true;
      } catch (error) {
        sum.failed += 1;
        console.log(describeError(error));
        return false;
      }
    },
    conclude() {
      process.exitCode = sum.failed > 0 ? 1 : 0;
      if (timed.some(({ ms }) => ms >= SLOW_MS)) printSlowest(timed);
      console.log(`${sum.passed} passed, ${sum.failed} failed`);
    },
  };
}

/** @param {TimedTest[]} tests */
function printSlowest(tests) {
  /** @type {Map<string, number>} */
  const files = new Map();
  for (const { file, ms } of tests) files.set(file, (files.get(file) ?? 0) + ms);
  print('Slowest files, by the sum of their tests', [...files]);
  print(
    'Slowest tests',
    tests.map(({ file, name, ms }) => [`${file}: ${name}`, ms]),
  );
}

/**
 * @param {string} title
 * @param {[string, number][]} rows
 */
function print(title, rows) {
  const slowest = rows.toSorted(([, one], [, other]) => other - one).slice(0, MAX_ROWS);
  const lines = slowest.map(([name, ms]) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${name}`);
  console.log([`${title}:`, ...lines].join('\n'));
}
