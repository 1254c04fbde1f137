/**
 * Marks the errors of the limiter. A global symbol, because an application may load the package more than once: in two
 * bundles, or as ESM and CommonJS. `instanceof` of another copy's class would be false.
 */
const BRAND = Symbol.for('floodgate.error');

/** The reason of an error of the limiter. The docstring of its class states when it is thrown. */
export type FloodgateErrorCode =
  | 'STORE_UNAVAILABLE'
  | 'REQUEST_ID_CONFLICT'
  | 'TOO_MANY_TICKETS'
  | 'WAIT_TOO_LONG'
  | 'RATE_LIMITED'
  | 'INVALID_SUBJECT'
  | 'MISSING_SUBJECT'
  | 'UNCOUNTABLE_SUBJECT'
  | 'UNKNOWN_ADDRESS'
  | 'INVALID_COST'
  | 'INVALID_REQUEST_ID'
  | 'INVALID_POLICY'
  | 'INVALID_PROCEDURE'
  | 'INVALID_OPTION'
  | 'INVALID_SCRIPT';

/** An error of the limiter. `instanceof` accepts the errors of every copy of the package. */
export abstract class FloodgateError extends Error {
  static readonly code: FloodgateErrorCode;
  readonly code: FloodgateErrorCode;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = new.target.code;
  }

  get [BRAND](): true {
    return true;
  }

  static override [Symbol.hasInstance](error: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass has its own code.
    return isFloodgateError(error, this.code);
  }
}

/** Returns true for an error of the limiter, of any copy of the package; with a code, only for its errors. */
export function isFloodgateError<Code extends FloodgateErrorCode>(
  error: unknown,
  code?: Code,
): error is FloodgateError & { readonly code: Code } {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  return code === undefined || ('code' in error && error.code === code);
}
