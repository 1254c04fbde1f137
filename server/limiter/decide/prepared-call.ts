import type { RequestId } from '../policy/policy';
import type { PolicyArgs, StoreCommand } from '../stores/store';
import type { Refused } from './decision';
import { createLease, type Lease } from './lease';
import { type ChargedCall, createReservation, type Reservation } from './settle';

/** A call that is ready to be decided: its effective policy, keys and levels are known. */
export interface PreparedCall extends ChargedCall {
  /** The refusal of a subject that an operator denies. */
  denial: Refused | undefined;
  requestId: RequestId | undefined;
  /** True from the moment when the call is sent to the store. */
  isSent: boolean;
  /** True when the store was too late or failed: the caller has got an answer without it. */
  isOver: boolean;
}

/** The command for a call. */
export interface CallCommand extends StoreCommand {
  policyArgs: PolicyArgs & { kind: 'decide' };
  /** The lease that the call takes if it is admitted and a level counts calls in flight. */
  lease: Lease | undefined;
  /** The reservation of the call if it is admitted and its policy settles. */
  reservation: Reservation | undefined;
}

/** Returns the command for a call. */
export function toCommand(call: PreparedCall): CallCommand {
  const { policy, callLevels, keys, requestId, cost } = call;
  const lease = callLevels.hasLease ? createLease(callLevels, keys) : undefined;
  const reservation = policy.settle ? createReservation(call) : undefined;
  return {
    policyArgs: requestId === undefined ? callLevels.policyArgs : callLevels.policyArgsWithRequestId,
    keys,
    cost,
    request: requestId && {
      key: keys.request(requestId),
      input: keys.requestInput(requestId),
    },
    leaseId: lease?.id,
    reservationKey: reservation?.key,
    lease,
    reservation,
  };
}
