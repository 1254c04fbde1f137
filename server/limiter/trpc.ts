import { setTimeout as after } from 'node:timers/promises';
import { type AnyTRPCProcedure, type AnyTRPCRouter, initTRPC, TRPCError } from '@trpc/server';
import { excludedLevels } from './condition';
import type { Admitted, Decision, Refused } from './decision';
import type { DecideOptions, Limiter } from './limiter';
import { type Policy, type ResolvedPolicy, resolvePolicy } from './policy';
import { inputBeforeLimit } from './procedure-error';
import { type RequestId, RequestIdConflictError } from './request-id';
import { StoreUnavailableError } from './store-error';
import { type Call, type Caller, InvalidSubjectError, subjectsOf } from './subject';

/** What of a limiter a request may need: decisions, and looks at its own windows. */
export type DecidingLimiter = Pick<Limiter, 'decide' | 'peek' | 'releaseRequestId'>;

/** What the middleware finds in the context of a request. */
export interface RateLimitContext {
  rateLimit: {
    limiter: DecidingLimiter;
    caller: Caller;
    /** Chooses the text of a refusal. */
    language: string;
    /** Every decision that the calls of this request met; `rateLimitHeaders` makes header fields of them. */
    decisions: Decision[];
  };
}

/** The error data of a refusal, as `error.data.rateLimit`. */
export interface RateLimitErrorData {
  policy: string;
  level: string;
  algorithm: string;
  reason: 'limited' | 'banned';
  limit: number;
  windowMs: number;
  remaining: number;
  /** Of the named level; nothing else happening, 1 ms earlier it refuses and then it admits. */
  retryAfterMs: number;
  /** Refusals by this level that have not lapsed; only where it punishes. */
  violations?: number;
  /** Whether the next violations lead to a ban; only where the level punishes. */
  warning?: boolean;
  /** Epoch ms; only a level that punishes bans. */
  bannedUntil: number | null;
}

/**
 * Charges the levels whose condition excluded them from the decision of a call, alone and without the request id: an id
 * that this call has charged would pass free. Throws the refusal, which then replaces the first decision in the headers
 * and leaves the request id unused; the levels that were charged first stay charged. Throws SERVICE_UNAVAILABLE as the
 * decision does, after `timeoutMs` at the latest.
 */
export type ChargeExcluded = (options: { timeoutMs: number }) => Promise<void>;

/** The cause of a TOO_MANY_REQUESTS error: the decision behind it. */
export class RateLimitedError extends Error {
  readonly decision: Refused;

  constructor(decision: Refused) {
    super(`${decision.policy}:${decision.refusedBy.level} is full`);
    this.name = 'RateLimitedError';
    this.decision = decision;
  }
}

/** Marks a procedure that no policy limits: `.use(unlimited)`. Saying so is part of reviewing a procedure. */
export const unlimited = initTRPC.create().middleware(async function unlimitedMiddleware({ next }) {
  return next();
});

/** The policy behind each middleware made here, so that a router can be read. */
const declaredPolicyOf = new WeakMap<object, Policy<never> | 'unlimited'>();
for (const middleware of unlimited._middlewares) declaredPolicyOf.set(middleware, 'unlimited');

/**
 * Limits a procedure by a policy: `publicProcedure.use(rateLimit(policy)).input(…).query(…)`.
 *
 * Put it after whatever answers 401 and 403, and before `.input()`: calls are charged before their input is parsed,
 * except for the field that a level counts by. An admitted call goes on, with its decision as `ctx.admitted`, once its
 * turn has come (`delayMs`); a refused one throws TOO_MANY_REQUESTS with the policy's own text; a store that is away
 * throws SERVICE_UNAVAILABLE where the policy is closed.
 *
 * Where a condition (`when`) excluded a level, `ctx.chargeExcluded` charges it. A condition reads memory that may be old:
 * a procedure calls `chargeExcluded` before it does what that level limits.
 *
 * @throws PolicyError at once where the policy makes no sense. `policiesOf` finds what only the whole router shows.
 */
export function rateLimit<Context extends RateLimitContext>(policy: Policy<Context>) {
  resolvePolicy(policy, 'unnamed');

  const middleware = initTRPC
    .context<Context>()
    .create()
    .middleware(async function rateLimitMiddleware({ ctx, path, input, getRawInput, next, signal }) {
      // policiesOf finds this at the start; a server that never calls it learns it with the first call.
      if (input !== undefined) throw inputBeforeLimit(path);
      // The builder's own context type is a mapped copy of Context, which TypeScript cannot see through here.
      const context = ctx as unknown as Context;
      const { limiter, caller, language, decisions } = context.rateLimit;
      const resolved = resolvePolicy(policy, path);
      const call = await readCall(resolved, { context, caller, limiter, input: getRawInput });
      const { excluded, requestId } = call;
      const admitted = await decide(call, { takesPart: (index) => !excluded.includes(index), requestId });
      decisions.push(admitted);
      if (!admitted.allowed) throw refusalError(resolved, language, admitted);
      if (admitted.delayMs > 0) await awaitStart(admitted, signal);

      const chargeExcluded: ChargeExcluded = async ({ timeoutMs }) => {
        const decision = await decide(call, { takesPart: (index) => excluded.includes(index), timeoutMs });
        if (!decision.allowed) {
          decisions[decisions.indexOf(admitted)] = decision;
          if (!admitted.replayed) await releaseRequestId(call);
          throw refusalError(resolved, language, decision);
        }
        decisions.push(decision);
        if (decision.delayMs > 0) await awaitStart(decision, signal);
      };
      return next({
        ctx: { admitted, chargeExcluded: excluded.length > 0 ? chargeExcluded : undefined },
      });
    });
  for (const inner of middleware._middlewares) declaredPolicyOf.set(inner, policy);
  return middleware;
}

/** Waits for the turn of a call in a leaky bucket, unless its caller goes away. */
async function awaitStart({ delayMs }: Admitted, signal: AbortSignal | undefined): Promise<void> {
  try {
    await after(delayMs, undefined, signal && { signal });
  } catch (cause) {
    throw new TRPCError({ code: 'CLIENT_CLOSED_REQUEST', message: 'The caller left its turn.', cause });
  }
}

/** What a refused call throws. */
export function refusalError<Context>(
  { message }: Pick<ResolvedPolicy<Context>, 'message'>,
  language: string,
  decision: Refused,
): TRPCError {
  return new TRPCError({
    code: 'TOO_MANY_REQUESTS',
    message: message[language] ?? message.en,
    cause: new RateLimitedError(decision),
  });
}

/** The fields that a refusal adds to `error.data`; spread it in the `errorFormatter`. */
export function rateLimitErrorData(error: TRPCError): { rateLimit?: RateLimitErrorData } {
  if (!(error.cause instanceof RateLimitedError)) return {};
  return { rateLimit: refusalData(error.cause.decision) };
}

/** A refusal as its caller is told of it. */
export function refusalData({ policy, reason, refusedBy }: Refused): RateLimitErrorData {
  const { punished } = refusedBy;
  return {
    policy,
    level: refusedBy.level,
    algorithm: refusedBy.algorithm,
    reason,
    limit: refusedBy.limit,
    windowMs: refusedBy.windowMs,
    remaining: refusedBy.remaining,
    retryAfterMs: refusedBy.retryAfterMs,
    ...(punished && { violations: punished.violations, warning: punished.warning }),
    bannedUntil: punished?.bannedUntil ?? null,
  };
}

/** What each procedure of a router declares, by path; `undefined` where one says nothing. */
export function declaredPolicies(
  router: AnyTRPCRouter,
): Map<string, Policy<never> | 'unlimited' | undefined> {
  const procedures = Object.entries(router._def.procedures as Record<string, AnyTRPCProcedure>);
  return new Map(procedures.map(([path, procedure]) => [path, declaredPolicy(procedure)?.policy]));
}

/** What a procedure declares, and the place of that among its middlewares; `undefined` where it says nothing. */
export function declaredPolicy(
  procedure: AnyTRPCProcedure,
): { policy: Policy<never> | 'unlimited'; index: number } | undefined {
  const { middlewares = [] } = procedure._def as { middlewares?: object[] };
  for (const [place, middleware] of middlewares.entries()) {
    const policy = declaredPolicyOf.get(middleware);
    if (policy !== undefined) return { policy, index: place };
  }
  return undefined;
}

/** One call of a procedure, as its policy reads it. */
interface LimitedCall<Context> extends Call<Context> {
  policy: ResolvedPolicy<Context>;
  limiter: DecidingLimiter;
  /** Indexes of the levels whose condition excludes them. */
  excluded: readonly number[];
  requestId: string | RequestId | undefined;
}

async function readCall<Context>(
  policy: ResolvedPolicy<Context>,
  call: Call<Context> & { limiter: DecidingLimiter },
): Promise<LimitedCall<Context>> {
  const needsInput = policy.requestId || policy.levels.some(({ when }) => when);
  const read = { input: needsInput ? await readInput(call.input) : undefined, context: call.context };
  return { ...call, policy, excluded: excludedLevels(policy, read), requestId: policy.requestId?.(read) };
}

/** Decides the levels of a call that take part. */
async function decide<Context>(
  call: LimitedCall<Context>,
  { takesPart, ...options }: { takesPart: (index: number) => boolean } & Omit<DecideOptions, 'subjects'>,
): Promise<Decision> {
  try {
    const subjects = await subjectsOf(call.policy, call, takesPart);
    return await call.limiter.decide(call.policy, { subjects, ...options });
  } catch (cause) {
    if (cause instanceof InvalidSubjectError) {
      throw new TRPCError({ code: 'BAD_REQUEST', message: cause.message, cause });
    }
    if (cause instanceof RequestIdConflictError) {
      throw new TRPCError({ code: 'CONFLICT', message: cause.message, cause });
    }
    if (cause instanceof StoreUnavailableError) {
      throw new TRPCError({
        code: 'SERVICE_UNAVAILABLE',
        message: 'This cannot be answered right now. Try again in a moment.',
        cause,
      });
    }
    throw cause;
  }
}

/** Releases the id. Where the store is unavailable the id stays charged: later calls are replays, which charge nothing. */
async function releaseRequestId<Context>({
  policy,
  limiter,
  requestId,
}: LimitedCall<Context>): Promise<void> {
  if (requestId === undefined) return;
  try {
    await limiter.releaseRequestId(policy, requestId);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
  }
}

/** The raw input, or `undefined` where it cannot be read: the procedure itself will answer 400, after the charge. */
async function readInput(input: () => Promise<unknown>): Promise<unknown> {
  try {
    return await input();
  } catch (cause) {
    if (cause instanceof TRPCError) return undefined;
    throw cause;
  }
}
