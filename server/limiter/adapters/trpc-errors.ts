import { TRPCError } from '@trpc/server';
import type { Refused } from '../decide/decision';
import { type RateLimitErrorData, refusalData, refusalText } from '../decide/refusal';
import { RequestIdConflictError } from '../decide/request-id';
import { FloodgateError } from '../floodgate-error';
import type { ResolvedPolicy } from '../policy/policy';
import { InvalidSubjectError } from '../policy/subject';
import { TooManyTicketsError } from '../queue/queue';
import { StoreUnavailableError } from '../stores/store-error';

/** Returns the tRPC error of an error of the limiter that is an answer to a call; `undefined` for any other. */
export function toTrpcError(cause: unknown): TRPCError | undefined {
  if (cause instanceof InvalidSubjectError)
    return new TRPCError({ code: 'BAD_REQUEST', message: cause.message, cause });
  if (cause instanceof RequestIdConflictError || cause instanceof TooManyTicketsError)
    return new TRPCError({ code: 'CONFLICT', message: cause.message, cause });
  if (!(cause instanceof StoreUnavailableError)) return undefined;
  const message = 'This cannot be answered right now. Try again in a moment.';
  return new TRPCError({ code: 'SERVICE_UNAVAILABLE', message, cause });
}

/** The cause of a TOO_MANY_REQUESTS error, with the decision. */
export class RateLimitedError extends FloodgateError {
  static override readonly code = 'RATE_LIMITED';
  readonly decision: Refused;

  constructor(decision: Refused) {
    const state = decision.reason === 'blocked' ? 'blocked' : 'full';
    super(`${decision.policy}:${decision.refusedBy.level} is ${state}`);
    this.name = 'RateLimitedError';
    this.decision = decision;
  }
}

/** Creates the error of a refused call, with the text of the level that refused and without a stack: a flood has many. */
export function refusalError<Context>(
  policy: Pick<ResolvedPolicy<Context>, 'message' | 'levels'>,
  language: string,
  decision: Refused,
): TRPCError {
  const text = refusalText(policy, { decision, language });
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const cause = new RateLimitedError(decision);
    const error = new TRPCError({ code: 'TOO_MANY_REQUESTS', message: text, cause });
    // The development mode of tRPC would send it.
    delete error.stack;
    return error;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Returns the fields that a refusal adds to `error.data`. Spread them in the `errorFormatter`. */
export function rateLimitErrorData(error: TRPCError): { rateLimit?: RateLimitErrorData } {
  if (!(error.cause instanceof RateLimitedError)) return {};
  return { rateLimit: refusalData(error.cause.decision) };
}
