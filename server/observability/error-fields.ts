import pino from 'pino';

/**
 * An error as the log shows it, its causes within. Drizzle puts the parameters of a failed statement into message,
 * stack and a field: codes, e-mails and hashes that no log may hold.
 */
export function errorFields(error: Error): object {
  return withoutParameters(pino.stdSerializers.errWithCause(error));
}

function withoutParameters(fields: object): object {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => name !== 'params')
      .map(([name, value]) => [name, shown(value)]),
  );
}

function shown(value: unknown): unknown {
  // What follows in a stack are its lines, in a message nothing.
  if (typeof value === 'string') return value.replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/g, '');
  return typeof value === 'object' && value !== null ? withoutParameters(value) : value;
}
