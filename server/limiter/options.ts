import { FloodgateError } from './floodgate-error';

/** An invalid option of a function of the limiter, `createLimiter` by default. Stops the start. */
export class LimiterOptionError extends FloodgateError {
  static override readonly code = 'INVALID_OPTION';

  constructor(field: string, value: unknown, fix: string, name = 'createLimiter') {
    super(`${name}: ${field} is ${formatValue(value)}. ${fix}`);
    this.name = 'LimiterOptionError';
  }
}

/** The names of the options of a function. A new option must be added to it, else it does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Throws a `LimiterOptionError` if the options of a function are no object, or have one that does not exist. */
export function rejectUnknownOptions(
  name: string,
  options: unknown,
  known: Readonly<Record<string, unknown>>,
): void {
  const fixOf = (start: string) => `${start} ${Object.keys(known).join(', ')}.`;
  if (typeof options !== 'object' || options === null)
    throw new LimiterOptionError('the object of options', options, fixOf('Give an object with'), name);
  for (const field in options) {
    if (Object.hasOwn(known, field)) continue;
    const value: unknown = Reflect.get(options, field);
    // A secret or a caller is not written to a log.
    const shown = typeof value === 'string' || typeof value === 'object' ? describeType(value) : value;
    throw new LimiterOptionError(field, shown, fixOf('This is not an option. Use'), name);
  }
}

export const PREFIX_FIX = 'Use a whole number of bits from 1 to 128, as in 64.';

/** Returns true for a whole number in a range, both ends included. */
export function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** The description of a value that is not written to a log. Errors show it in place of the value. */
export class Description {
  constructor(readonly text: string) {}
}

/** Describes a value, except `undefined` and null, by its type. */
export function describeType(value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (Array.isArray(value)) return new Description('a list');
  return new Description(`${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`);
}

/** Formats the value of a field for an error. */
export function formatValue(value: unknown): string {
  if (value instanceof Description) return value.text;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  // A client may have circular references, and the password of Redis.
  if (isInstance(value)) return 'an instance of a class';
  return JSON.stringify(value) ?? String(value);
}

/** Describes a secret for an error. A secret is not written to a log, whatever it is. */
export function describeSecret(secret: unknown): unknown {
  if (typeof secret === 'string') return new Description(`a text of ${secret.length} characters`);
  return secret ? describeType(secret) : secret;
}

/** Reports a warning where no `onWarning` receives it. */
export function emitWarning(message: string): void {
  if (globalThis.process?.emitWarning) globalThis.process.emitWarning(message);
  // biome-ignore lint/suspicious/noConsole: a runtime without process.emitWarning has no other place.
  else console.warn(message);
}

/** Returns true for an object that is neither a list nor a literal. */
function isInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of an object of another realm, such as that of Jest, the prototype has none.
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}
