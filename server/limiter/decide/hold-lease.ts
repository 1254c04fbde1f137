import { ignoreOutage } from '../stores/store-error';
import type { Lease, LeaseCommands } from './lease';

/** A lease lasts three renewals, so that two may fail. */
const RENEWALS_PER_LEASE = 3;

/**
 * Renews a lease until the returned function is called, which releases it and does not wait for the store. If the store is
 * unavailable, the lease ends by itself. A lease that has ended is not taken again: the call goes on uncounted.
 */
export function holdLease(limiter: LeaseCommands, lease: Lease): () => void {
  let isHeld = true;
  const renewing = setInterval(async () => {
    isHeld = await ignoreOutage(limiter.renew(lease), isHeld);
    if (!isHeld) clearInterval(renewing);
  }, lease.leaseMs / RENEWALS_PER_LEASE);
  // A number on other runtimes than Node.
  renewing.unref?.();

  return function releaseLease() {
    clearInterval(renewing);
    if (isHeld) void ignoreOutage(limiter.release(lease), false);
    isHeld = false;
  };
}
