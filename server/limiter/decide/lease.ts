import type { SendCommand } from './batcher';
import type { CallLevels } from './call-levels';
import { decodeHeld, encodePersonalNumbers, encodePolicyArgs, type PolicyArgs } from './codec';
import { createRandomId } from './crypto';
import type { CallKeys } from './key';

/** The lease of an admitted call on all its levels that count calls in flight. */
export interface Lease {
  id: string;
  /** Lifetime of the lease after the call or its last renewal: the shortest of the levels. */
  leaseMs: number;
  keys: readonly string[];
  policyArgs: Readonly<Record<'release' | 'renew', PolicyArgs>>;
  /** Limits and lease lifetimes of this caller, as decide.lua reads them; '' if the caller has none. */
  personalNumbers: string;
}

/** Creates the lease of a call that is about to be sent, on the levels of its plan that count calls in flight. */
export function createLease({ levels, levelIndexes }: CallLevels, keys: CallKeys): Lease {
  const inFlight = levels.filter(({ algorithm }) => algorithm === 'in-flight');
  return {
    id: createRandomId(),
    leaseMs: Math.min(...inFlight.map(({ windowMs }) => windowMs)),
    keys: levelIndexes
      .filter((_level, position) => levels[position]?.algorithm === 'in-flight')
      .map((index) => keys.level(index)),
    policyArgs: {
      release: encodePolicyArgs(inFlight, { charge: 'release' }),
      renew: encodePolicyArgs(inFlight, { charge: 'renew' }),
    },
    personalNumbers: encodePersonalNumbers(inFlight),
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
  const send = (kind: 'release' | 'renew', { id, keys, policyArgs, personalNumbers }: Lease) => {
    const args = personalNumbers === '' ? [id] : [id, personalNumbers];
    return sendCommand({ policyArgs: policyArgs[kind], keys, args, decode: decodeHeld });
  };
  return { release: (lease) => send('release', lease), renew: (lease) => send('renew', lease) };
}
