import pino from 'pino';

/**
 * An error as the log shows it, its causes within. Drizzle puts the parameters of a failed statement into message,
 * stack and a field: codes, e-mails and hashes that no log may hold. Of other objects that an error carries nothing is
 * shown: the client of a broken connection knows the password, and leads back to itself.
 */
export function errorFields(error: Error): object {
  return shownFields(pino.stdSerializers.errWithCause(error), []);
}

/** Under these names an error carries other errors. */
const CAUSES = new Set(['cause', 'aggregateErrors']);

/** `above` are the errors that led here: one that causes itself is shown once. */
function shownFields(fields: object, above: readonly object[]): object {
  const path = [...above, fields];
  const shown = Object.entries(fields)
    .filter(([name, value]) => name !== 'params' && (!isObject(value) || CAUSES.has(name)))
    .map(([name, value]) => [name, shownValue(value, path)]);
  return Object.fromEntries(shown);
}

function shownValue(value: unknown, path: readonly object[]): unknown {
  // What follows in a stack are its lines, in a message nothing.
  if (typeof value === 'string') return value.replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/g, '');
  if (Array.isArray(value)) return value.map((one) => shownValue(one, path));
  if (!isObject(value)) return value;
  return path.includes(value) ? undefined : shownFields(value, path);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
