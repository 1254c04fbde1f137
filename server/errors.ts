/**
 * Everything that can go wrong in a way a caller should know of. The list is closed: a new kind of failure gets
 * a new code here, with the moment it is thrown and what the client should do about it.
 */
export type AppErrorCode =
  /** Thrown when no valid session came with the call. The client signs in and calls again. */
  | 'UNAUTHORIZED'
  /** Thrown when the session lacks the role, or the request came from a foreign origin. Calling again is useless. */
  | 'FORBIDDEN'
  /** Thrown when a field of the input is well formed but cannot be meant; the message begins with its name. */
  | 'BAD_REQUEST'
  /** Thrown when an id names nothing, or nothing that the caller may see. Calling again is useless. */
  | 'NOT_FOUND'
  /**
   * Thrown when a `requestId` comes back with another input; the client makes a new id. Also when an order has a status
   * in which this cannot be done to it; the client looks at the order again.
   */
  | 'CONFLICT'
  /** Thrown when Redis, Postgres or a mailer is away. The client tries again later. */
  | 'SERVICE_UNAVAILABLE';

/** The one error that callers are told of. Anything else that is thrown is a bug and answers 500. */
export class AppError extends Error {
  readonly code: AppErrorCode;

  constructor(code: AppErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
  }
}

/** The process cannot start, and the message says why and what to do: it is printed alone, without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}
