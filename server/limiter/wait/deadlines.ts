import type { SendCommand } from '../decide/batcher';
import type { LevelState } from '../decide/decision';
import type { PreparedCall } from '../decide/prepared-call';
import type { EffectiveLevel } from '../policy/overrides';
import { ignoreOutage } from '../stores/store-error';
import { endWaiter, isPaused, type Line, unitsOf, type Waiter, withoutStart } from './line';
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
  const reason = `the calls of this process that wait before it take at least ${waitMs} ms, and maxWaitMs is ${maxWaitMs}`;
  throw new WaitTooLongError(line.policy.name, waitMs, reason);
}

/** Rejects the waiters that cannot start in time after a decision that left no room, by these levels. */
export function rejectLate(line: Line, levels: readonly LevelState[], now: number): void {
  const { full, isCertain } = fullLevelOf(line.policy, levels);
  line.fullUntil = full && isCertain ? now + full.retryAfterMs : Number.NEGATIVE_INFINITY;
  const level = full ?? levels.find(({ remaining }) => remaining === 0);
  const reason = level ? `level "${level.level}" is full` : 'there is no room for its units';
  let units = 0;
  for (const waiter of withoutStart(line)) {
    const ownUnits = unitsOf(waiter);
    const startAt = line.fullUntil + (full ? afterFirstUnitMs(full, units + ownUnits) : 0);
    if (waiter.deadline > now && waiter.deadline >= startAt) units += ownUnits;
    else {
      const waitMs = Math.max(level?.retryAfterMs ?? 1, startAt - now);
      rejectWaiter(line, waiter, { now, retryAfterMs: Math.ceil(waitMs), reason });
    }
  }
}

/** Rejects the waiters whose time is over, in a line that waits for others. */
export function rejectOverdue(line: Line, now: number): void {
  for (const waiter of withoutStart(line)) if (waiter.deadline <= now) rejectBehind(line, waiter, now);
}

/**
 * Ends the wait of a call whose `maxWaitMs` is over, unless it has a start. The decision that a line waits for may make room. The
 * first of a full line checks once more, and so does any after the time for which the line was refused.
 */
export function endWait(line: Line, waiter: Waiter, now: number): void {
  const [first] = line.waiters;
  waiter.deadline = Math.min(waiter.deadline, now);
  if (!isPaused(line) || ![...withoutStart(line)].includes(waiter)) return;
  const isFirst = waiter === first && line.delayed.length === 0;
  const hasRoom = line.fullUntil <= now && line.fullUntil !== Number.NEGATIVE_INFINITY;
  if (isFirst || hasRoom) line.wake();
  else rejectBehind(line, waiter, now);
}

/**
 * Returns those of the next waiters that leaky buckets would start in time, and rejects every waiter of the line that they would
 * not. It peeks, because an admission by a leaky bucket is a charge that does not return. Only lines with a `maxWaitMs` need
 * this round trip. `now` is the time before it: it does not count.
 */
export async function startInTime(
  line: Line,
  checking: readonly Waiter[],
  parts: { prepare: (waiter: Waiter) => PreparedCall; sendCommand: SendCommand; now: number },
): Promise<readonly Waiter[]> {
  const { prepare, sendCommand, now } = parts;
  const [first] = checking;
  if (!first || [...line.waiters].every(({ maxWaitMs }) => maxWaitMs === Number.POSITIVE_INFINITY))
    return checking;
  const { callLevels, keys } = prepare(first);
  const { levels, levelIndexes } = callLevels;
  const leaky = levels.filter(({ mode, algorithm }) => mode === 'enforce' && algorithm === 'leaky-bucket');
  if (leaky.length === 0) return checking;
  const peek = { policyArgs: { kind: 'peek', levels, levelIndexes }, keys, cost: 0 } as const;
  const peekDelay = async () =>
    sendCommand(peek, (reply) => Math.max(0, ...reply.levels.map(({ delayMs }) => delayMs)));
  const delayMs = await ignoreOutage(peekDelay(), 0);
  const unitMs = Math.max(...leaky.map(({ limit, windowMs }) => windowMs / limit));
  let units = 0;
  for (const waiter of withoutStart(line)) {
    const startsInMs = delayMs + units * unitMs;
    // A call that would start now does. Delays are whole ms, so less than one is not late.
    if (startsInMs === 0 || now + startsInMs < waiter.deadline + 1) units += unitsOf(waiter);
    else {
      const retryAfterMs = Math.ceil(startsInMs);
      rejectWaiter(line, waiter, { now, retryAfterMs, reason: `it would start in ${retryAfterMs} ms` });
    }
  }
  return checking.filter((waiter) => line.waiters.has(waiter));
}

function rejectBehind(line: Line, waiter: Waiter, now: number): void {
  const retryAfterMs = Math.ceil(Math.max(1, line.fullUntil - now));
  rejectWaiter(line, waiter, { now, retryAfterMs, reason: 'other calls of this process wait before it' });
}

function rejectWaiter(
  line: Line,
  waiter: Waiter,
  { now, retryAfterMs, reason }: { now: number; retryAfterMs: number; reason: string },
): void {
  const waitedMs = Math.max(0, Math.round(now - waiter.joinedAt));
  const because = `${reason}: it has waited ${waitedMs} ms, and maxWaitMs is ${waiter.maxWaitMs}`;
  endWaiter(line, waiter, ({ reject }) =>
    reject(new WaitTooLongError(line.policy.name, retryAfterMs, because)),
  );
}

/** Returns the least time from the first unit that a full level admits until it has admitted `units`. */
function afterFirstUnitMs({ algorithm, limit, windowMs }: LevelState, units: number): number {
  if (algorithm.endsWith('-bucket')) return (Math.max(0, units - 1) * windowMs) / limit;
  return Math.max(0, Math.ceil(units / limit) - 1) * windowMs;
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
