/** A procedure with its middlewares in a wrong order or without a limit. `policiesOf` throws it at the start. */
export class ProcedureError extends Error {
  constructor(path: string, problem: string) {
    super(`Procedure "${path}": ${problem}`);
    this.name = 'ProcedureError';
  }
}

/** Creates the error for `.input()` before the limit: calls that answer 400 would not be charged. */
export function inputBeforeLimit(path: string): ProcedureError {
  return new ProcedureError(
    path,
    '.input() stands before .use(rateLimit(…)), so calls with a wrong input are not charged. Put .use(rateLimit(…)) first.',
  );
}
