/**
 * Everything that can go wrong in a way a caller should know of. The list is closed: a new kind of failure gets
 * a new code here, with the moment it is thrown and what the client should do about it.
 */
export type AppErrorCode =
  /** Thrown when no valid session came with the call. The client signs in and calls again. */
  | 'UNAUTHORIZED'
  /** Thrown when the session lacks the role, or the request came from a foreign origin. Calling again is useless. */
  | 'FORBIDDEN'
  /** Thrown when a field of the input is well formed but not allowed. The message begins with its name. */
  | 'BAD_REQUEST'
  /** Thrown when no row that the caller may read has this id. Calling again is useless. */
  | 'NOT_FOUND'
  /**
   * Thrown when a `requestId` is repeated with another input; the client creates a new id. Also when the status of an
   * order does not allow the call; the client reads the order again.
   */
  | 'CONFLICT'
  /** Thrown when Redis, Postgres or the mail server is unavailable. The client retries later. */
  | 'SERVICE_UNAVAILABLE';

/**
 * The problem of an input field, from a closed list, so that a client can translate it. `least` and `most` are in the unit
 * of the field.
 */
export type FieldProblemCode =
  /** A text of more than `most` characters. */
  | 'too-long'
  | 'too-small'
  | 'too-big'
  /** Below `least` or above `most`. */
  | 'out-of-range'
  /** A price above `most`, the face value of the coupon. */
  | 'over-worth'
  /** The new total would be above `most`. */
  | 'over-total'
  /** Below `least`, the number of sold coupons. */
  | 'under-sold'
  | 'needs-stock'
  | 'no-stock'
  | 'end-before-start'
  | 'end-in-past'
  /** The sale has ended and can no longer change. */
  | 'ended'
  /** The sale has begun, and this value was published to shoppers. */
  | 'begun'
  /** Orders with this value exist. */
  | 'ordered'
  /** Any other problem; see `text`. */
  | 'invalid';

export interface FieldProblem {
  /** The path of the field, such as `title.en`. '' is the whole input. */
  field: string;
  code: FieldProblemCode;
  least?: number | undefined;
  most?: number | undefined;
  /** The problem in English, for clients without a translation of the code. */
  text: string;
}

/** The only error whose message is sent to callers. Any other thrown error is a bug and answers 500. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  /** The field that caused a `BAD_REQUEST`, if there is one. */
  readonly problem: FieldProblem | undefined;

  constructor(code: AppErrorCode, message: string, options?: { cause?: unknown; problem?: FieldProblem }) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.problem = options?.problem;
  }
}

/** The process cannot start, and the message says why and what to do: it is printed alone, without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}
