import type { DecidingLimiter } from '../adapters/limited-call';
import { isStream, watchStream } from '../adapters/stream';
import type { ProcedureResult, ResolvedPolicy } from '../policy/policy';
import { ignoreOutage } from '../stores/store-error';
import type { Admitted } from './decision';
import { holdLease } from './hold-lease';
import type { Reservation } from './settle';

/** The leases and reservations of one call of a procedure. */
export interface HeldCall {
  /** Holds those of an admitted decision. If the call has ended, its lease is released at once. */
  hold(admitted: Admitted): void;
  /**
   * Settles the reservations, and releases the leases: at once, or when the stream in the returned outcome has ended. Does
   * not wait for the store.
   */
  end<Outcome extends ProcedureResult>(outcome: Outcome, signal: AbortSignal | undefined): Outcome;
  /** Releases the leases of a call whose procedure has not run. */
  release(): void;
}

/** Creates the holder of the leases and reservations of one call of a policy. */
export function createHeldCall<Context>(
  { levels }: ResolvedPolicy<Context>,
  limiter: Pick<DecidingLimiter, 'release' | 'renew' | 'settle'>,
): HeldCall {
  const releases: (() => void)[] = [];
  const reservations: Reservation[] = [];
  let isReleased = false;

  function release(): void {
    isReleased = true;
    for (const releaseLease of releases.splice(0)) releaseLease();
  }

  return {
    hold({ lease, reservation }) {
      if (lease) releases.push(holdLease(limiter, lease));
      if (reservation) reservations.push(reservation);
      if (isReleased) release();
    },
    end(outcome, signal) {
      for (const one of reservations) void ignoreOutage(limiter.settle(one, outcome), false);
      const inFlight = levels.find(({ algorithm }) => algorithm === 'in-flight');
      if (inFlight && outcome.ok && isStream(outcome.data)) {
        const data = watchStream(outcome.data, { signal, unreadMs: inFlight.windowMs, onEnd: release });
        return { ...outcome, data };
      }
      release();
      return outcome;
    },
    release,
  };
}
