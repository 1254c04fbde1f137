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
