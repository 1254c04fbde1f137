import { randomBytes } from 'node:crypto';
import type { SendCommand } from './batcher';
import { decodeHeld, encodePersonalNumbers, type PolicyArgs } from './codec';
import type { CachedCall } from './denial-cache';
import type { Policy } from './policy';
import { formatValue, isWhole } from './validate-policy';

/** The result of a procedure. */
export type ProcedureResult = { ok: true; data: unknown } | { ok: false; error: unknown };

/** The units of an admitted call that settles. */
export interface Reservation {
  /** Units that the call was charged. */
  cost: number;
  policy: string;
  settle: Policy['settle'];
  /** The version of the policy if another one could have emptied its counters; else `undefined`. */
  version: number | undefined;
  /** The keys of the levels, then that of the reservation. */
  keys: readonly string[];
  policyArgs: PolicyArgs;
  /** The numbers of this caller, as decide.lua reads them; '' if the caller has none. */
  personalNumbers: string;
}

/** 72 bits: two reservations never collide. */
const ID_BYTES = 9;

/** Creates the reservation of a call that is about to be sent. `levelKeys` are the keys of its levels. */
export function createReservation(
  { policy, callLevels, keys, cost }: CachedCall,
  levelKeys: readonly string[],
): Reservation {
  const { levels, settleArgs } = callLevels;
  // A log stores the instant of each unit. The other algorithms only store counts, by the numbers of the call.
  const hasLogs = levels.every(({ algorithm }) => algorithm === 'sliding-log' || algorithm === 'in-flight');
  return {
    cost,
    policy: policy.name,
    settle: policy.settle,
    version: hasLogs ? undefined : policy.version,
    keys: [...levelKeys, keys.reservation(randomBytes(ID_BYTES).toString('base64url'))],
    policyArgs: settleArgs,
    personalNumbers: encodePersonalNumbers(levels),
  };
}

/**
 * Refunds the units of an ended call that `settle` of its policy does not keep. Resolves to false if nothing is refunded: the call has
 * been settled, its reservation has ended, or the numbers of a level that is no log have changed. If `settle` throws or
 * returns an invalid number, the call keeps all units, with a warning. Throws `StoreUnavailableError`.
 */
export type Settle = (reservation: Reservation, outcome: ProcedureResult) => Promise<boolean>;

/** Creates the command that settles calls. `currentVersion` returns the version of all policies. */
export function createSettle({
  sendCommand,
  currentVersion,
  onWarning,
}: {
  sendCommand: SendCommand;
  currentVersion: () => number;
  onWarning: (message: string) => void;
}): Settle {
  function keptUnits({ policy, settle, cost }: Reservation, outcome: ProcedureResult): number {
    if (typeof settle !== 'function') return outcome.ok ? 0 : cost;
    try {
      const kept = settle({ ...outcome, cost });
      if (isWhole(kept, 0, cost)) return kept;
      onWarning(
        `Policy "${policy}": settle returned ${formatValue(kept)}. Return a whole number from 0 to the cost, which is ${cost}.`,
      );
    } catch (error) {
      // The procedure has ended, so an error of the policy's function cannot fail the call.
      onWarning(`Policy "${policy}": settle threw ${String(error)}. The call keeps its ${cost} units.`);
    }
    return cost;
  }

  return async function settle(reservation, outcome) {
    const { version = currentVersion(), keys, policyArgs, personalNumbers } = reservation;
    if (version !== currentVersion()) return false;
    const kept = keptUnits(reservation, outcome);
    return sendCommand({ policyArgs, keys, args: [`${kept} ${personalNumbers}`], decode: decodeHeld });
  };
}
