import type { Admitted } from '../decide/decision';
import { holdLease, type LeaseCommands } from '../decide/lease';
import type { Settle } from '../decide/settle';
import { LimiterOptionError } from '../options';
import type { ProcedureResult } from '../policy/policy';
import { ignoreOutage } from '../stores/store-error';

/** A call that has started, for the function of `Limiter.schedule`. */
export interface StartedCall {
  decision: Admitted;
  /** The signal of the options: the function should stop when it aborts. */
  signal: AbortSignal | undefined;
}

/** Throws a `LimiterOptionError` if `schedule` has no function to run. */
export function validateScheduled(fn: unknown): void {
  if (typeof fn === 'function') return;
  throw new LimiterOptionError('the function', fn, 'Give the function that makes the call.', 'schedule');
}

/**
 * Runs the function of an admitted call, and returns its result. Holds its leases until the function has ended, and then settles
 * the call, without waiting for the store.
 */
export async function runStarted<Result>(
  fn: (call: StartedCall) => Result | Promise<Result>,
  { limiter, ...call }: StartedCall & { limiter: LeaseCommands & { settle: Settle } },
): Promise<Result> {
  const { lease, reservation } = call.decision;
  const releaseLease = lease && holdLease(limiter, lease);
  const end = (outcome: ProcedureResult) => {
    releaseLease?.();
    if (reservation) void ignoreOutage(limiter.settle(reservation, outcome), false);
  };
  try {
    const data = await fn(call);
    end({ ok: true, data });
    return data;
  } catch (error) {
    end({ ok: false, error });
    throw error;
  }
}
