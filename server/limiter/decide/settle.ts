import { createRandomId } from '../crypto';
import { describeType, formatValue, isWhole, LimiterOptionError } from '../options';
import type { EffectivePolicy } from '../policy/overrides';
import type { LevelPlan, Policy, ProcedureResult, ResolvedPolicy } from '../policy/policy';
import type { LevelSubject } from '../policy/subject';
import type { SendCommand } from './batcher';
import type { CallLevels } from './call-levels';
import type { CallKeys } from './key';

/** The part of a prepared call that its charge is made of. */
export interface ChargedCall {
  /** The policy without overrides. */
  declared: ResolvedPolicy;
  policy: EffectivePolicy;
  /** The plans of the caller. */
  plans: readonly (LevelPlan | undefined)[] | undefined;
  /** The subject of each level, in the order of the levels. */
  subjects: readonly LevelSubject[];
  keys: CallKeys;
  callLevels: CallLevels;
  /** Units of the call. */
  cost: number;
}

/** The units of an admitted call that settles. */
export interface Reservation {
  call: ChargedCall;
  /** Its key in the store. */
  key: string;
}

/** Creates the reservation of a call that is about to be sent. lua/limiter/settle.lua also makes the id of a generation of its id. */
export function createReservation(call: ChargedCall): Reservation {
  return { call, key: call.keys.reservation(createRandomId()) };
}

/**
 * Refunds the units of an ended call that `settle` of its policy does not keep, or charges those above its cost, at most one
 * limit. A whole number instead of the outcome is the number of units to keep. Resolves to false if nothing changes: the
 * call has been settled, its reservation has ended, or each of its levels was cleared or, if it is no log, has another limit
 * or window since the call. If `settle` throws or returns an invalid number, the call keeps its cost, with a warning.
 * Throws a `LimiterOptionError` for no reservation and for an invalid number of units, and `StoreUnavailableError`.
 */
export type Settle = (reservation: Reservation, outcome: ProcedureResult | number) => Promise<boolean>;

/** Creates the command that settles calls. `effectivePolicyOf` returns the policy of a call with the present overrides. */
export function createSettle(parts: {
  sendCommand: SendCommand;
  effectivePolicyOf: (call: ChargedCall) => EffectivePolicy;
  onWarning: (message: string) => void;
}): Settle {
  const { sendCommand, effectivePolicyOf, onWarning } = parts;
  return async function settle(reservation, outcome) {
    if (!reservation?.call) {
      const fix = 'Give the reservation of an admitted decision. It has none if its policy has no settle.';
      throw new LimiterOptionError('reservation', describeType(reservation), fix, 'settle');
    }
    const { call, key } = reservation;
    const isStated = typeof outcome === 'number' || call.policy.settle === 'units';
    const kept = isStated ? validateKept(call, outcome) : keptUnits(call, outcome, onWarning);
    const { callLevels, keys } = call;
    const policy = effectivePolicyOf(call);
    // The levels of the charge with the present numbers, which end the generation of a counter or bucket if they changed.
    const levels = () => callLevels.levelIndexes.flatMap((index) => policy.levels[index] ?? []);
    const policyArgs =
      policy === call.policy ? callLevels.settleArgs : { ...callLevels.settleArgs, levels: levels() };
    return sendCommand({ policyArgs, keys, cost: kept, reservationKey: key }, (reply) => reply === true);
  };
}

function isKept(kept: unknown): kept is number {
  return isWhole(kept, 0, Number.MAX_SAFE_INTEGER);
}

function validateKept({ policy: { name } }: ChargedCall, kept: unknown): number {
  if (isKept(kept)) return kept;
  const fix = 'Give the whole number of units that the call keeps, from 0.';
  throw new LimiterOptionError('units of settle', kept, fix, `Policy "${name}"`);
}

/** Returns the units that an ended call keeps. Warns if the function of the policy fails, because no call is left to fail. */
function keptUnits(
  { policy: { name, settle }, cost }: { policy: Pick<Policy, 'name' | 'settle'>; cost: number },
  outcome: ProcedureResult,
  onWarning: (message: string) => void,
): number {
  if (typeof settle !== 'function') return outcome.ok === (settle === 'failures') ? 0 : cost;
  try {
    const kept = settle({ ...outcome, cost });
    if (isKept(kept)) return kept;
    onWarning(
      `Policy "${name}": settle returned ${formatValue(kept)}. Return a whole number from 0. The call keeps its ${cost} units.`,
    );
  } catch (error) {
    onWarning(`Policy "${name}": settle threw ${String(error)}. The call keeps its ${cost} units.`);
  }
  return cost;
}
