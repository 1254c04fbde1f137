import type { LevelPlan } from '../policy/by-plan';
import type { ResolvedPolicy } from '../policy/policy';
import type { LevelSubject } from '../policy/subject';
import type { EncodedCommand } from './codec';
import type { Refused } from './decision';
import type { CachedCall } from './denial-cache';
import { createLease, type Lease } from './lease';
import type { RequestId } from './request-id';
import { createReservation, type Reservation } from './settle';

/** A call that is ready to be decided: its effective policy, keys and levels are known. */
export interface PreparedCall extends CachedCall {
  /** The policy without overrides. */
  declared: ResolvedPolicy;
  /** The plans of the caller. */
  plans: readonly (LevelPlan | undefined)[] | undefined;
  /** The subject of each level, in the order of the levels. */
  subjects: readonly LevelSubject[];
  /** The refusal of a subject that an operator denies. */
  denial: Refused | undefined;
  requestId: RequestId | undefined;
}

/** The command of decide.lua for a call, without the decoding of its reply. */
export interface CallCommand extends EncodedCommand {
  /** The lease that the call takes if it is admitted and a level counts calls in flight. */
  lease: Lease | undefined;
  /** The reservation of the call if it is admitted and its policy settles. */
  reservation: Reservation | undefined;
}

/** Encodes a call. Its keys and arguments have the order of the grammar in codec.ts. */
export function encodeCall(call: PreparedCall): CallCommand {
  const { policy, callLevels, keys, requestId, cost } = call;
  const storeKeys = callLevels.storeKeys(keys);
  const args: (string | number)[] = callLevels.banMembers(keys);
  if (requestId !== undefined) {
    storeKeys.push(keys.request(requestId));
    args.push(keys.requestInput(requestId));
  }
  const lease = callLevels.hasLease ? createLease(callLevels, keys) : undefined;
  if (lease) args.push(lease.id);
  const numbers = callLevels.encodeNumbers(cost);
  if (numbers !== '') args.push(numbers);
  const policyArgs = requestId === undefined ? callLevels.policyArgs : callLevels.policyArgsWithRequestId;
  const reservation = policy.settle ? createReservation(call, storeKeys) : undefined;
  return { policyArgs, keys: reservation?.keys ?? storeKeys, args, lease, reservation };
}
