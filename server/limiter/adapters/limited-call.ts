import { TRPCError } from '@trpc/server';
import type { DecideOptions } from '../decide/decide';
import type { Limiter } from '../limiter';
import { readPlans } from '../policy/by-plan';
import type { RequestId, ResolvedPolicy } from '../policy/policy';
import { type Call, excludedLevels, requestedTicket, subjectsOf } from '../policy/subject';
import type { Joined, JoinOptions } from '../queue/queue';
import { ignoreOutage } from '../stores/store-error';
import { toTrpcError } from './trpc-errors';

/** The functions of a limiter that a request needs. */
export type DecidingLimiter = Pick<
  Limiter,
  'decide' | 'peek' | 'queue' | 'release' | 'releaseRequestId' | 'renew' | 'settle' | 'warn'
>;

/** One call of a procedure, with the parts that its policy needs. */
export interface LimitedCall<Context> extends Call<Context> {
  policy: ResolvedPolicy<Context>;
  limiter: DecidingLimiter;
  /** Names of the levels whose condition excludes them. */
  excluded: readonly string[];
  plans: DecideOptions['plans'];
  cost: number | undefined;
  requestId: string | RequestId | undefined;
  /** The ticket that the call requests if the window of the queue is full. */
  ticket: Pick<JoinOptions, 'group' | 'payload'> | undefined;
}

/** Reads the parts of a call that its policy needs. Spreads nothing, which would be slow. */
export async function readLimitedCall<Context>(
  policy: ResolvedPolicy<Context>,
  { context, caller, limiter, input }: Call<Context> & { limiter: DecidingLimiter },
): Promise<LimitedCall<Context>> {
  const needsInput =
    policy.requestId || policy.costOf || policy.levels.some(({ when, plans }) => when || plans);
  const read = { input: needsInput ? await readInput(input) : undefined, context };
  return {
    context,
    caller,
    limiter,
    input,
    policy,
    excluded: excludedLevels(policy, read),
    plans: readPlans(policy.levels, read),
    requestId: policy.requestId?.(read),
    cost: policy.costOf?.(read),
    ticket: requestedTicket(policy, read),
  };
}

/** Decides a call on the levels that take part. If the call may wait and the window is full, it joins the queue. */
export function decideOrJoin<Context>(call: LimitedCall<Context>): Promise<Joined> {
  const { excluded, requestId, ticket } = call;
  if (ticket) return join(call, ticket);
  return decide(call, { takesPart: (level) => !excluded.includes(level), requestId });
}

/**
 * Decides an admitted call on the levels that took no part. If they refuse it, the call makes its request id unused again,
 * unless it is a replay, and joins the queue if it may wait.
 */
export async function chargeLate<Context>(
  call: LimitedCall<Context>,
  { isReplay, timeoutMs }: { isReplay: boolean; timeoutMs: number },
): Promise<Joined> {
  const { excluded } = call;
  const decided = await decide(call, { takesPart: (level) => excluded.includes(level), timeoutMs });
  if (decided.decision.allowed || isReplay || !(await releaseRequestId(call))) return decided;
  return (await joinLate(call)) ?? decided;
}

async function decide<Context>(
  call: LimitedCall<Context>,
  options: { takesPart: (level: string) => boolean } & Pick<DecideOptions, 'requestId' | 'timeoutMs'>,
): Promise<Extract<Joined, { queued: false }>> {
  const { policy, plans, cost } = call;
  const { takesPart, requestId, timeoutMs } = options;
  try {
    const subjects = await subjectsOf(policy, call, takesPart);
    const decision = await call.limiter.decide(policy, { subjects, plans, cost, requestId, timeoutMs });
    return { queued: false, decision };
  } catch (cause) {
    throw toTrpcError(cause) ?? cause;
  }
}

/**
 * Makes the request id of a refused call unused again. Returns false if it has none, or if the store is unavailable: the id
 * stays charged then, and later calls are replays, which charge nothing.
 */
async function releaseRequestId<Context>(call: LimitedCall<Context>): Promise<boolean> {
  const { policy, limiter, requestId } = call;
  if (requestId === undefined) return false;
  const released = limiter.releaseRequestId(policy, requestId).then(() => true);
  return ignoreOutage(released, false);
}

/**
 * Joins the queue with a call whose own levels are charged. Returns `undefined` if it cannot wait, or if a concurrent call
 * has charged its request id: that call did not charge the window.
 */
async function joinLate<Context>(call: LimitedCall<Context>): Promise<Joined | undefined> {
  const { policy, excluded, ticket } = call;
  if (!ticket || excluded.length > 1 || excluded[0] !== policy.levels.at(-1)?.level) return undefined;
  const joined = await join({ ...call, excluded: [] }, { ...ticket, hasCharged: true });
  return !joined.queued && joined.decision.allowed && joined.decision.replayed ? undefined : joined;
}

async function join<Context>(
  call: LimitedCall<Context>,
  ticket: Pick<JoinOptions, 'group' | 'payload' | 'hasCharged'>,
): Promise<Joined> {
  const { policy, plans, excluded, requestId, limiter, context } = call;
  if (requestId === undefined)
    throw new TRPCError({ code: 'BAD_REQUEST', message: 'A call that may wait needs a request id.' });
  try {
    const subjects = await subjectsOf(policy, call, (level) => !excluded.includes(level));
    return await limiter.queue(policy).join({ subjects, plans, requestId, context, ...ticket });
  } catch (cause) {
    throw toTrpcError(cause) ?? cause;
  }
}

/** Returns the raw input, or `undefined` if it cannot be read: the procedure itself answers 400, after the charge. */
async function readInput(input: () => Promise<unknown>): Promise<unknown> {
  try {
    return await input();
  } catch (cause) {
    // tRPC sets the name. Its ESM and its CommonJS have different classes.
    if (cause instanceof Error && cause.name === 'TRPCError') return undefined;
    throw cause;
  }
}
