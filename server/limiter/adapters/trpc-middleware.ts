import { initTRPC, TRPCError } from '@trpc/server';
import type { Admitted, Decision } from '../decide/decision';
import { type OptionNames, rejectUnknownOptions } from '../options';
import type { Policy, ResolvedPolicy } from '../policy/policy';
import { resolvePolicy } from '../policy/resolve-policy';
import type { Caller } from '../policy/subject';
import { createReject } from '../policy/validate-policy';
import type { Ticket } from '../stores/ticket';
import { lineOfCaller, recordCharge } from './charged-twice';
import { createHeldCall } from './held-call';
import { chargeLate, type DecidingLimiter, decideOrJoin, readLimitedCall } from './limited-call';
import { declarePolicy, INPUT_BEFORE_LIMIT, ProcedureError } from './read-router';
import { refusalError } from './trpc-errors';

/** The context that `rateLimit` needs in a request. */
export interface RateLimitContext {
  rateLimit: {
    limiter: DecidingLimiter;
    caller: Caller;
    /** The language of the refusal text. */
    language: string;
    /** The decisions of this request, for `rateLimitHeaders`: the last 50, because a context may outlive its request. */
    decisions: Decision[];
    /** Aborts when the request ends, in addition to the signal that tRPC gives to the procedure. */
    signal?: AbortSignal | undefined;
  };
}

/**
 * Charges only the levels whose condition excluded them from the decision of a call. It does not pass the request id,
 * because the call has already charged it, so the levels would not be charged. Throws the refusal, which then replaces the
 * first decision in the headers and makes the request id unused again; the levels of the first decision stay charged. It
 * throws, too, if the call gets a ticket instead: the answer is then that of `onQueued`, whatever the procedure does.
 * Throws SERVICE_UNAVAILABLE like the decision, at the latest after `timeoutMs`.
 *
 * With several policies it charges the excluded levels of all, one policy after the other.
 */
export type ChargeExcluded = (options: { timeoutMs: number }) => Promise<void>;

/** The fields that `rateLimit` adds to the context of an admitted call. */
interface LimitedContext {
  admitted: Admitted;
  chargeExcluded: ChargeExcluded | undefined;
}

export interface RateLimitOptions {
  /**
   * Returns the answer to a call that waits: neither its code nor `.input()`, `.output()` or later middlewares run, so the result
   * that the procedure declares must include this one. Needed if the policy has a `queue.ticket`.
   */
  onQueued?: (ticket: Ticket) => unknown;
}

const OPTIONS: OptionNames<RateLimitOptions> = { onQueued: true };

/** Declares that no policy limits a procedure: `.use(unlimited)`. A procedure without a declaration stops the start. */
export const unlimited = initTRPC.create().middleware(async function unlimitedMiddleware({ next }) {
  return next();
});

declarePolicy(unlimited, 'unlimited');

/**
 * Limits a procedure by a policy: `publicProcedure.use(rateLimit(policy)).input(…).query(…)`.
 *
 * Put it after the middleware that answers 401 and 403, and before `.input()`: calls are charged before their input is
 * parsed, except for the field that a level counts by. An admitted call continues after `delayMs`, with its decision in
 * `ctx.admitted`. It holds its leases until the procedure has ended, also by an error. A subscription,
 * or another procedure that returns a stream, holds them until the stream ends or its caller disconnects. A refused call
 * throws TOO_MANY_REQUESTS with the text of the level or else of the policy. If the store is unavailable and the policy is
 * closed, the call throws SERVICE_UNAVAILABLE.
 *
 * A procedure may have several policies. Each decides by itself, in their order, and `ctx.admitted` is of the last. Put a
 * policy of calls in flight first: then a call that any of them refuses has charged nothing. Put a policy with a queue last:
 * a call that waits ends there, with the answer of `onQueued`.
 *
 * If a condition (`when`) excluded a level, `ctx.chargeExcluded` charges it. A condition reads memory that may be out of
 * date, so a procedure calls `chargeExcluded` before the work that the level limits.
 *
 * @throws PolicyError at once if the policy is invalid. `policiesOf` checks the rules that need the whole router.
 */
export function rateLimit<Context extends RateLimitContext>(
  policy: Policy<Context>,
  options: RateLimitOptions = {},
) {
  rejectUnknownOptions('rateLimit', options, OPTIONS);
  const { onQueued } = options;
  const declared = resolvePolicy(policy, 'unnamed');
  if (!onQueued) rejectTickets(declared);
  rejectStatedUnits(declared);
  const line = lineOfCaller(rateLimit);

  /** Returns the result of a middleware that does not call `next`. It needs the mark that tRPC gives to those of `next`. */
  async function answerQueued(ticket: Ticket) {
    const data = await onQueued?.(ticket);
    return { ok: true as const, data, marker: 'middlewareMarker' as never };
  }

  const middleware = initTRPC
    .context<Context>()
    .create()
    .middleware(async function rateLimitMiddleware(call) {
      const { ctx, path, input, getRawInput, next } = call;
      // `policiesOf` checks this at the start. A server that does not call it fails with the first call.
      if (input !== undefined) throw new ProcedureError(path, INPUT_BEFORE_LIMIT);
      // tRPC maps the type of a context; TypeScript cannot resolve the mapping of a type parameter.
      const context = ctx as Context;
      const { limiter, caller, language, decisions } = context.rateLimit;
      const signals = [call.signal, context.rateLimit.signal].filter((one) => one !== undefined);
      const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
      const resolved = resolvePolicy(policy, path);
      // tRPC creates one `getRawInput` for each call, which all its middlewares get.
      recordCharge(getRawInput, { limiter, policy: resolved.name, line });
      const limited = await readLimitedCall(resolved, { context, caller, limiter, input: getRawInput });
      const start = await decideOrJoin(limited);
      if (start.queued) return await answerQueued(start.ticket);
      const { decision: admitted } = start;
      addDecision(decisions, admitted);
      if (!admitted.allowed) throw refusalError(resolved, language, admitted);
      const held = createHeldCall(resolved, limiter);

      const { chargeExcluded: chargeEarlier } = ctx as Partial<LimitedContext>;
      let lateTicket: Ticket | undefined;
      const chargeExcluded: ChargeExcluded = async ({ timeoutMs }) => {
        await chargeEarlier?.({ timeoutMs });
        const late = await chargeLate(limited, { isReplay: admitted.replayed, timeoutMs });
        if (late.queued || !late.decision.allowed) removeDecision(decisions, admitted);
        if (late.queued) {
          lateTicket = late.ticket;
          throw new TRPCError({ code: 'TOO_MANY_REQUESTS', message: 'The call waits for its turn.' });
        }
        const { decision } = late;
        addDecision(decisions, decision);
        if (!decision.allowed) throw refusalError(resolved, language, decision);
        held.hold(decision);
        if (decision.delayMs > 0) await awaitStart(decision, signal);
      };
      held.hold(admitted);
      try {
        if (admitted.delayMs > 0 || signal?.aborted) await awaitStart(admitted, signal);
      } catch (error) {
        held.release();
        throw error;
      }
      const charged: LimitedContext = {
        admitted,
        chargeExcluded: limited.excluded.length > 0 ? chargeExcluded : chargeEarlier,
      };
      const outcome = held.end(await next({ ctx: charged }), signal);
      return lateTicket ? await answerQueued(lateTicket) : outcome;
    });
  declarePolicy(middleware, policy);
  return middleware;
}

/** Throws a `PolicyError` if calls of the policy may wait. */
function rejectTickets<Context>({ name, levels }: ResolvedPolicy<Context>): void {
  const index = levels.findIndex(({ queue }) => queue?.ticket);
  if (index < 0) return;
  const fix = 'Give the answer to a call that waits: rateLimit(policy, { onQueued: (ticket) => … }).';
  createReject(name)(`levels[${index}].queue.ticket`, levels[index]?.queue?.ticket, fix);
}

/** Throws a `PolicyError` if the caller would have to state the units that a call keeps. */
function rejectStatedUnits<Context>({ name, settle }: ResolvedPolicy<Context>): void {
  if (settle !== 'units') return;
  const fix = 'Use a function of the outcome that returns the units to keep, "failures" or "successes".';
  createReject(name)('settle', settle, fix);
}

/** More than the calls of a batch. */
const MAX_DECISIONS = 50;

function addDecision(decisions: Decision[], decision: Decision): void {
  if (decisions.push(decision) > MAX_DECISIONS) decisions.shift();
}

function removeDecision(decisions: Decision[], decision: Decision): void {
  const index = decisions.indexOf(decision);
  if (index >= 0) decisions.splice(index, 1);
}

/** Waits for the start of a call in a leaky bucket. Throws if its caller disconnects, or has disconnected before. */
async function awaitStart({ delayMs }: Admitted, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, delayMs);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
  if (!signal?.aborted) return;
  const message = 'The caller disconnected before the call started.';
  throw new TRPCError({ code: 'CLIENT_CLOSED_REQUEST', message, cause: signal.reason });
}
