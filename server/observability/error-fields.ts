import pino from 'pino';

/**
 * Returns the loggable fields of an error and its causes. Drizzle adds the parameters of a failed statement to message,
 * stack and a field. They may be codes, e-mails and hashes, so they are removed. Other objects on an error are removed
 * too: the client of a broken connection has the password, and refers to itself.
 */
export function errorFields(error: Error): object {
  return shownFields(pino.stdSerializers.errWithCause(error), []);
}

/** Fields of an error that hold other errors. */
const CAUSES = new Set(['cause', 'aggregateErrors']);

/** Filters fields. `above` are the enclosing errors, so that a cycle of causes ends. */
function shownFields(fields: object, above: readonly object[]): object {
  const path = [...above, fields];
  const shown = Object.entries(fields)
    .filter(([name, value]) => name !== 'params' && (!isObject(value) || CAUSES.has(name)))
    .map(([name, value]) => [name, shownValue(value, path)]);
  return Object.fromEntries(shown);
}

function shownValue(value: unknown, path: readonly object[]): unknown {
  // In a stack, the stack lines follow the parameters. In a message, nothing follows.
  if (typeof value === 'string') return value.replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/g, '');
  if (Array.isArray(value)) return value.map((one) => shownValue(one, path));
  if (!isObject(value)) return value;
  return path.includes(value) ? undefined : shownFields(value, path);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
