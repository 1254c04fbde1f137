/**
 * A step that cannot be done, told in words meant for the person at the terminal:
 * what went wrong, then what to run or look at. Printed without a stack.
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
 * @returns {string} The words of a StepError; for any other error its stack, since nobody expected it.
 */
export function describeError(error) {
  if (error instanceof StepError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
