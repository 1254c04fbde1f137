/** A procedure that is put together wrongly. It stops the start where `policiesOf` reads the router. */
export class ProcedureError extends Error {
  constructor(path: string, problem: string) {
    super(`Procedure "${path}": ${problem}`);
    this.name = 'ProcedureError';
  }
}

/** A call that answers 400 must have been charged, or anyone could send such calls without end. */
export function inputBeforeLimit(path: string): ProcedureError {
  return new ProcedureError(
    path,
    '.input() stands before .use(rateLimit(…)), so calls with a wrong input are not charged. Put .use(rateLimit(…)) first.',
  );
}
