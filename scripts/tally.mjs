import { describeError } from './step-error.mjs';

/**
 * @typedef {object} Tally
 * @property {(passed: number, failed: number) => void} add
 * @property {(steps: import('./steps.mjs').Steps, name: string, work: (note: (text: string) => void) =>
 *   Promise<void>, options?: { countsWhenPassed?: boolean }) => Promise<boolean>} step
 *   Runs one step, counts it, and prints why it failed; never throws, so that the rest is tried too.
 * @property {() => void} conclude  Prints the last line and sets the exit code.
 */

/**
 * Adds up what passed and failed over all kinds of checks and tests.
 *
 * @returns {Tally}
 */
export function createTally() {
  const sum = { passed: 0, failed: 0 };
  return {
    add(passed, failed) {
      sum.passed += passed;
      sum.failed += failed;
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
      console.log(`${sum.passed} passed, ${sum.failed} failed`);
    },
  };
}
