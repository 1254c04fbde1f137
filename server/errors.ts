/**
 * The codes of the errors that the product's own code throws. The limiter and the HTTP handler add codes of tRPC, such as
 * TOO_MANY_REQUESTS. The list is closed. The comment of each code states when it is thrown and what the client does.
 */
export type AppErrorCode =
  /** Thrown when no valid session came with the call. The client signs in and calls again. */
  | 'UNAUTHORIZED'
  /** Thrown when the user is not an admin. Calling again is useless. */
  | 'FORBIDDEN'
  /** Thrown when a field of the input is well formed but not allowed. The message begins with its name. */
  | 'BAD_REQUEST'
  /** Thrown when no row that the caller may read has this id. Calling again is useless. */
  | 'NOT_FOUND'
  /**
   * Thrown when a `requestId` is repeated with another input; the client creates a new id. Also when the status of an
   * order, a refund or a ticket does not allow the call; the client reads it again. Also when the page of a call shows
   * another user (`data.otherUser`); it reads the user again.
   */
  | 'CONFLICT'
  /** Thrown when the caller disconnected before its experiment had ended. The client gets no answer. */
  | 'CLIENT_CLOSED_REQUEST'
  /**
   * Thrown when a dependency (Redis, Postgres, mail server, payment provider) is unavailable or not configured, when the
   * time budget of the call is used up, or when too many experiments wait. The client retries later. A mutation may still
   * be written: the client repeats it with the same `requestId`.
   */
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

/**
 * An error whose message is sent to the caller, as that of a `TRPCError` is. An unavailable store answers 503. Any other
 * error is a bug and answers 500.
 */
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

/** Creates the error for an unknown id: `notFoundError('coupon', id)`. */
export function notFoundError(kind: string, id: string): AppError {
  return new AppError('NOT_FOUND', `There is no ${kind} ${JSON.stringify(id)}.`);
}

/** The process cannot start, and the message says why and what to do: it is printed alone, without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
  }
}
