import type { SendCommand } from '../decide/batcher';
import type { Refused } from '../decide/decision';
import type { PreparedCall } from '../decide/prepared-call';
import type { EffectiveLevel } from '../policy/overrides';
import { ignoreOutage } from '../stores/store-error';
import { endWaiter, type Line, type Waiter, withoutStart } from './line';
import { fullLevelOf } from './pace';
import { WaitTooLongError } from './wait-options';

/** Throws a `WaitTooLongError` if the waiters of a line make it certain that a new call cannot start in time. */
export function rejectLongLine(
  line: Line,
  call: PreparedCall,
  { maxWaitMs, now }: { maxWaitMs: number; now: number },
): void {
  if (maxWaitMs === Number.POSITIVE_INFINITY) return;
  const waitMs = Math.ceil(Math.max(0, line.fullUntil - now) + minWaitMs(line, call));
  if (waitMs <= maxWaitMs) return;
  const reason = `the calls of this process that wait before it take at least ${waitMs} ms`;
  throw new WaitTooLongError(line.policy.name, waitMs, reason);
}

/** Rejects the waiters of a refused line that cannot start in time. */
export function rejectLate(line: Line, { refusedBy, levels }: Refused, now: number): void {
  const { full, isCertain } = fullLevelOf(line.policy, levels);
  const { retryAfterMs } = full ?? refusedBy;
  line.fullUntil = isCertain ? now + (retryAfterMs ?? 0) : Number.NEGATIVE_INFINITY;
  for (const waiter of withoutStart(line)) {
    if (waiter.deadline > now && waiter.deadline >= line.fullUntil) continue;
    rejectWaiter(line, waiter, { retryAfterMs, reason: `level "${(full ?? refusedBy).level}" is full` });
  }
}

/** Ends the wait of a call whose `maxWaitMs` is over. The first of its line checks once more. One that has a start keeps it. */
export function endWait(line: Line, waiter: Waiter, now: number): void {
  const [first] = line.waiters;
  waiter.deadline = Math.min(waiter.deadline, now);
  if (line.delayed.length > 0 && ![...withoutStart(line)].includes(waiter)) return;
  if (waiter === first && line.delayed.length === 0) {
    line.wake();
    return;
  }
  const retryAfterMs = Math.ceil(Math.max(1, line.fullUntil - now));
  rejectWaiter(line, waiter, { retryAfterMs, reason: 'other calls of this process wait before it' });
}

/**
 * Returns the first of these waiters that leaky buckets would start in time, and rejects the first if they would not. It peeks,
 * because an admission by a leaky bucket is a charge that does not return. Only waiters with a `maxWaitMs` need this round trip.
 */
export async function startInTime(
  line: Line,
  checking: readonly Waiter[],
  {
    prepare,
    sendCommand,
    clock,
  }: { prepare: (waiter: Waiter) => PreparedCall; sendCommand: SendCommand; clock: () => number },
): Promise<readonly Waiter[]> {
  const [first] = checking;
  if (!first || checking.every(({ deadline }) => deadline === Number.POSITIVE_INFINITY)) return checking;
  const { callLevels, keys, cost } = prepare(first);
  const { levels, levelIndexes } = callLevels;
  const leaky = levels.filter(({ mode, algorithm }) => mode === 'enforce' && algorithm === 'leaky-bucket');
  if (leaky.length === 0) return checking;
  const peek = { policyArgs: { kind: 'peek', levels, levelIndexes }, keys, cost: 0 } as const;
  const peekDelay = async () =>
    sendCommand(peek, (reply) => Math.max(0, ...reply.levels.map(({ delayMs }) => delayMs)));
  const delayMs = await ignoreOutage(peekDelay(), 0);
  const startAt = clock() + delayMs;
  const intervalMs = Math.max(...leaky.map(({ limit, windowMs }) => (cost * windowMs) / limit));
  const late = checking.findIndex(({ deadline }, index) => startAt + index * intervalMs > deadline);
  if (late === 0)
    rejectWaiter(line, first, { retryAfterMs: delayMs, reason: `it would start in ${delayMs} ms` });
  return late < 0 ? checking : checking.slice(0, late);
}

function rejectWaiter(
  line: Line,
  waiter: Waiter,
  { retryAfterMs, reason }: { retryAfterMs: number | null; reason: string },
): void {
  endWaiter(line, waiter, ({ reject }) =>
    reject(new WaitTooLongError(line.policy.name, retryAfterMs, reason)),
  );
}

/**
 * Returns the least time until the start of a call behind the waiters of a line, the first of which starts now. Units that can
 * return before their time make no wait certain: those in flight, of a policy that settles, and of a level that other
 * policies share.
 */
function minWaitMs(line: Line, { policy, callLevels, cost }: PreparedCall): number {
  if (policy.settle !== undefined) return 0;
  const units = line.units + cost;
  const certain = callLevels.levels.filter(({ mode, shared }) => mode === 'enforce' && shared === undefined);
  return Math.max(0, ...certain.map((level) => minWaitOf(level, units, cost)));
}

function minWaitOf({ algorithm, limit, windowMs }: EffectiveLevel, units: number, cost: number): number {
  if (algorithm === 'in-flight') return 0;
  if (algorithm === 'token-bucket') return ((units - limit) * windowMs) / limit;
  if (algorithm === 'leaky-bucket') return ((units - cost) * windowMs) / limit;
  // The first edge of a fixed window may be now.
  return (Math.ceil(units / limit) - (algorithm === 'fixed-window' ? 2 : 1)) * windowMs;
}
