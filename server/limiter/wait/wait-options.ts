import { FloodgateError } from '../floodgate-error';
import {
  describeType,
  isWhole,
  LimiterOptionError,
  type OptionNames,
  rejectUnknownOptions,
} from '../options';
import type { ResolvedPolicy } from '../policy/policy';
import { createReject, MAX_TIMER_MS } from '../policy/validate-policy';

/** The options of `Limiter.wait` and `Limiter.schedule`. */
export interface WaitOptions {
  /**
   * The longest time that the limits may delay the call, in whole ms from 0 to 2^31 − 1, about 25 days; 0 rejects a call that
   * they do not admit at once. Round trips to the store do not count: the decision on a call comes after them. Default: no
   * maximum, so a store that never admits the call keeps it waiting.
   */
  maxWaitMs?: number | undefined;
  /** Ends the wait when it aborts: the call leaves its queue, and the promise rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

const OPTIONS: OptionNames<WaitOptions> = { maxWaitMs: true, signal: true };

/**
 * A call cannot start within `maxWaitMs`, or never by time: a level is blocked, or the subject is banned. Thrown as soon as it
 * is certain. The call is not charged. Try again after `retryAfterMs`, or do without the call.
 */
export class WaitTooLongError extends FloodgateError {
  static override readonly code = 'WAIT_TOO_LONG';
  /** The least time until the call could have started, as far as it is known; null if the level is blocked. */
  readonly retryAfterMs: number | null;

  constructor(policy: string, retryAfterMs: number | null, reason: string) {
    super(`Policy "${policy}": the call was not started, because ${reason}.`);
    this.name = 'WaitTooLongError';
    this.retryAfterMs = retryAfterMs;
  }
}

/** Throws a `LimiterOptionError` for an invalid or unknown option of a function that waits. */
export function validateWaitOptions(name: string, options: WaitOptions): void {
  rejectUnknownOptions(name, options, OPTIONS);
  const { maxWaitMs, signal } = options;
  if (maxWaitMs !== undefined && !isWhole(maxWaitMs, 0, MAX_TIMER_MS)) {
    const fix = `Use whole milliseconds from 0 to ${MAX_TIMER_MS}, as in 5_000, or omit it to wait without a maximum.`;
    throw new LimiterOptionError('maxWaitMs', maxWaitMs, fix, name);
  }
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    const fix = 'Give the signal of an AbortController.';
    throw new LimiterOptionError('signal', describeType(signal), fix, name);
  }
}

/** Throws a `PolicyError` if calls of a policy cannot wait. */
export function validateWaiting({ name, levels }: ResolvedPolicy): void {
  const reject = createReject(name);
  for (const [index, { punishment, queue }] of levels.entries()) {
    if (punishment) {
      const fix =
        'Call check, or wait on a policy without it: each refusal is a violation here, so a waiting call would be banned.';
      reject(`levels[${index}].punishment`, punishment, fix);
    }
    if (queue) {
      const fix = 'Calls wait for this level in its queue: use limiter.queue(policy).join.';
      reject(`levels[${index}].queue`, queue, fix);
    }
  }
}
