import { isByPlan } from './by-plan';
import type { Policy } from './policy';
import { isWhole, MAX_LEASE_MS, type Reject, rejectIn } from './validate-policy';

/** Rejects a policy whose calls cannot be settled. Its levels are objects. */
export function validateSettle(
  { settle, settleMs, requestId, levels = [] }: Partial<Policy>,
  reject: Reject,
): void {
  if (settle === undefined) {
    if (settleMs !== undefined) reject('settleMs', settleMs, 'Give settle too, or omit it.');
    return;
  }
  if (settle !== 'failures' && typeof settle !== 'function')
    reject('settle', settle, 'Use a function of the outcome that returns the units to keep, or "failures".');
  if (settleMs !== undefined && !isWhole(settleMs, 1, MAX_LEASE_MS)) {
    const range = { least: 1, most: MAX_LEASE_MS };
    reject('settleMs', settleMs, 'Use whole milliseconds from 1 to an hour, as in 60_000.', range);
  }
  if (requestId !== undefined) {
    const fix =
      'Remove it, or the requestId: a repeated id is admitted because its units are charged, so they cannot return.';
    reject('settle', settle, fix);
  }
  for (const [index, level] of levels.entries()) validateLevel(level, rejectIn(`levels[${index}]`, reject));
}

function validateLevel(level: Policy['levels'][number], reject: Reject): void {
  const { algorithm = 'sliding-log', limit, windowMs, punishment } = level;
  if (algorithm === 'leaky-bucket') {
    const fix =
      'Use another algorithm with settle: the calls behind a reservation keep their start, so calls that get its units would start next to them.';
    reject('algorithm', algorithm, fix);
  }
  if (punishment !== undefined) {
    const fix =
      'Remove it, or settle: a level punishes attempts, and attempts whose units return could go on without end.';
    reject('punishment', punishment, fix);
  }
  if (algorithm === 'sliding-log') return;
  const byPlan =
    (isByPlan(windowMs) && 'windowMs') || (algorithm === 'token-bucket' && isByPlan(limit) && 'limit');
  if (byPlan) {
    const fix = `Use a sliding-log with settle: a ${algorithm} does not store by which plan a unit was charged.`;
    reject(byPlan, 'byPlan', fix);
  }
}
