import type { Level, Policy, WindowField } from './policy';
import type { Reject } from './validate-policy';

/** The fields of a window, which a level with `concurrent` cannot have, and the reason. */
const WINDOW_FIELDS = {
  limit: 'Use concurrent alone, which is the number of calls at the same time.',
  windowMs: 'Use leaseMs alone: calls in flight have no window.',
  algorithm: 'Remove it: concurrent counts calls in flight, which have no window.',
  subWindows: 'Remove it: calls in flight have no window.',
  shared: 'Remove it: each policy counts its own calls in flight.',
  queue: 'Remove it: the end of a call in flight is unknown, so a queue could promise no turn.',
  punishment:
    'Punish at a level with a window: a second call at the same time may be a retry of a slow network.',
} satisfies Record<WindowField, string>;

/** Rejects a level that mixes a window and calls in flight, or calls in flight in a policy that cannot have them. */
export function validateInFlight(
  { requestId, onStoreError }: Partial<Policy>,
  level: Partial<Record<keyof Level, unknown>>,
  { at, reject }: { at: string; reject: Reject },
): void {
  const { concurrent, leaseMs, limit, windowMs, algorithm } = level;
  if (concurrent === undefined) {
    if (leaseMs !== undefined)
      reject(`${at}.leaseMs`, leaseMs, 'Give concurrent too, the number of calls at the same time.');
    if (algorithm === 'in-flight')
      reject(`${at}.algorithm`, algorithm, 'Give concurrent and leaseMs instead of limit and windowMs.');
    if (limit === undefined) reject(`${at}.limit`, limit, 'Give a whole number, or concurrent and leaseMs.');
    if (windowMs === undefined) reject(`${at}.windowMs`, windowMs, 'Give whole milliseconds, as in 10_000.');
    return;
  }
  for (const [field, fix] of Object.entries(WINDOW_FIELDS)) {
    const value = level[field as WindowField];
    if (value !== undefined) reject(`${at}.${field}`, value, fix);
  }
  if (leaseMs === undefined) {
    const fix = 'Give the time after which a call of a dead node no longer counts, as in 30_000.';
    reject(`${at}.leaseMs`, leaseMs, fix);
  }
  if (requestId !== undefined) {
    const fix = `A repeated call charges nothing, so it would run without a lease of ${at}. Give the level a policy of its own.`;
    reject('requestId', requestId, fix);
  }
  if (onStoreError === 'local') {
    const fix = `Use "closed" or "open": a node alone cannot count the calls in flight of ${at}.`;
    reject('onStoreError', onStoreError, fix);
  }
}
