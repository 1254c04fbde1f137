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

/**
 * What is wrong with a field of an input, by a closed list, so that a client can say it in its reader's language.
 * `least` and `most` are in the unit of the field.
 */
export type FieldProblemCode =
  /** Of a text: `most` characters. */
  | 'too-long'
  | 'too-small'
  | 'too-big'
  /** Neither `least` nor `most` nor between them. */
  | 'out-of-range'
  /** A price above `most`, which is what the coupon is worth. */
  | 'over-worth'
  /** With what there is already it would be more than `most`. */
  | 'over-total'
  /** Less than `least`, of which that many are sold. */
  | 'under-sold'
  | 'needs-stock'
  | 'no-stock'
  | 'end-before-start'
  | 'end-in-past'
  /** The sale has ended: nothing of it changes any more. */
  | 'ended'
  /** The sale has begun, and its shoppers were told this. */
  | 'begun'
  /** There are orders that were made under this. */
  | 'ordered'
  /** Anything else: `text` says what. */
  | 'invalid';

export interface FieldProblem {
  /** As the procedure names it, of what is within it with dots, as in `title.en`; '' where it is the input as a whole. */
  field: string;
  code: FieldProblemCode;
  least?: number | undefined;
  most?: number | undefined;
  /** In English, for whoever has no words for the code. */
  text: string;
}

/** The one error that callers are told of. Anything else that is thrown is a bug and answers 500. */
export class AppError extends Error {
  readonly code: AppErrorCode;
  /** Only of `BAD_REQUEST`, where a field is to blame. */
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
