import { createRandomId } from '../crypto';
import { describeType, LimiterOptionError } from '../options';
import type { PolicyArgs, StoreKeys } from '../stores/store';
import { ignoreOutage } from '../stores/store-error';
import type { SendCommand } from './batcher';
import type { CallLevels } from './call-levels';

/** The lease of an admitted call on all its levels that count calls in flight. */
export interface Lease {
  id: string;
  /** Lifetime of the lease after the call or its last renewal: the shortest of the levels. */
  leaseMs: number;
  keys: StoreKeys;
  /** The levels that count calls in flight, and their indexes in the policy. */
  held: Pick<PolicyArgs, 'levels' | 'levelIndexes'>;
}

/** Creates the lease of a call that is about to be sent, on the levels of its plan that count calls in flight. */
export function createLease({ levels, levelIndexes }: CallLevels, keys: StoreKeys): Lease {
  const inFlight = levels.filter(({ algorithm }) => algorithm === 'in-flight');
  return {
    id: createRandomId(),
    leaseMs: Math.min(...inFlight.map(({ windowMs }) => windowMs)),
    keys,
    held: {
      levels: inFlight,
      levelIndexes: levelIndexes.filter((_index, position) => levels[position]?.algorithm === 'in-flight'),
    },
  };
}

/** Commands on the lease of a call. They throw `StoreUnavailableError`. */
export interface LeaseCommands {
  /** Ends a lease. Returns false if it had already ended. */
  release(lease: Lease): Promise<boolean>;
  /** Moves the end of a lease to `leaseMs` from now. Returns false if it had already ended: the call counts no longer. */
  renew(lease: Lease): Promise<boolean>;
}

/** Creates the commands that release and renew leases. */
export function createLeaseCommands(sendCommand: SendCommand): LeaseCommands {
  async function send(kind: 'release' | 'renew', lease: Lease): Promise<boolean> {
    validateLease(lease, kind);
    const { id, keys, held } = lease;
    return sendCommand(
      { policyArgs: { kind, ...held }, keys, cost: 0, leaseId: id },
      (reply) => reply === true,
    );
  }
  return { release: (lease) => send('release', lease), renew: (lease) => send('renew', lease) };
}

function validateLease(lease: Lease | undefined, name: string): void {
  if (lease?.held) return;
  const fix = 'Give the lease of an admitted decision. It has none if no level of its policy has concurrent.';
  throw new LimiterOptionError('lease', describeType(lease), fix, name);
}

/** A lease lasts three renewals, so that two may fail. */
export const RENEWALS_PER_LEASE = 3;

/**
 * Renews a lease until the returned function is called, which releases it. Its promise need not be awaited. If the store is
 * unavailable, the lease ends by itself. A lease that has ended is not taken again: the call goes on uncounted.
 */
export function holdLease(limiter: LeaseCommands, lease: Lease): () => Promise<void> {
  validateLease(lease, 'holdLease');
  let isHeld = true;
  const renewing = setInterval(async () => {
    isHeld = await ignoreOutage(limiter.renew(lease), isHeld);
    if (!isHeld) clearInterval(renewing);
  }, lease.leaseMs / RENEWALS_PER_LEASE);
  // A number on other runtimes than Node.
  renewing.unref?.();

  return async function releaseLease() {
    clearInterval(renewing);
    if (!isHeld) return;
    isHeld = false;
    await ignoreOutage(limiter.release(lease), false);
  };
}
