import { fileURLToPath } from 'node:url';

/** The folder of package.json. Scripts change into it first, so that their paths can be relative. */
export const repoRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The folder of embedded databases, generated secrets and downloaded tools. Deleting it resets them. */
export const dataDir = '.data';

/**
 * The error of a step, with a message for the user: the problem, then the command or setting that fixes it. It is printed
 * without a stack.
 */
export class StepError extends Error {
  /**
   * @param {string} problem
   * @param {{ hint?: string, cause?: unknown }} [more]
   */
  constructor(problem, { hint, cause } = {}) {
    super(hint ? `${problem}\n${hint}` : problem, { cause });
    this.name = 'StepError';
  }
}

/**
 * @param {unknown} error
 * @returns {string} The message of a StepError, or the stack of any other error.
 */
export function describeError(error) {
  if (error instanceof StepError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * @typedef {object} Steps
 * @property {<T>(name: string, work: (note: (text: string) => void) => Promise<T> | T) => Promise<T>} run
 *   Runs one step and prints its line when it ends. A failed step prints a cross and rethrows.
 *   `note` sets the text after the time, such as "up to date".
 * @property {(name: string, ms: number, text?: string) => void} done
 *   Prints the line of a step that was measured elsewhere.
 */

/**
 * Prints one line with a time for each step of `npm start` and `npm test`.
 *
 * @param {(line: string) => void} [print]
 * @returns {Steps}
 */
export function createSteps(print = (line) => console.log(line)) {
  /** @type {Steps['done']} */
  const done = (name, ms, text = '') => print(formatStep('✓', name, ms, text));
  return {
    done,
    async run(name, work) {
      const startedAt = performance.now();
      let text = '';
      try {
        const result = await work((newText) => {
          text = newText;
        });
        done(name, performance.now() - startedAt, text);
        return result;
      } catch (error) {
        print(formatStep('✗', name, performance.now() - startedAt, text));
        throw error;
      }
    },
  };
}

/**
 * @param {string} symbol
 * @param {string} name
 * @param {number} ms
 * @param {string} text
 */
function formatStep(symbol, name, ms, text) {
  const seconds = `${(ms / 1000).toFixed(1)} s`.padStart(7);
  return `${symbol} ${name.padEnd(16)} ${seconds}${text ? `  ${text}` : ''}`;
}
