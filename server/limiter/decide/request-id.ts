import { hmacSha256, readDigits } from '../crypto';
import { FloodgateError } from '../floodgate-error';
import { formatValue } from '../options';
import type { RequestId, ResolvedPolicy } from '../policy/policy';

/** Lifetime of a charged request id. */
export const REQUEST_ID_TTL_MS = 24 * 60 * 60 * 1000;

/** The request id was charged with another input in the last 24 hours. Nothing is charged. Answer 409. */
export class RequestIdConflictError extends FloodgateError {
  static override readonly code = 'REQUEST_ID_CONFLICT';
  constructor() {
    super('This request id was already used with another input. Send a new one.');
    this.name = 'RequestIdConflictError';
  }
}

/** A call has a request id where its policy settles or counts calls in flight: an error in the call. Nothing is charged. */
export class InvalidRequestIdError extends FloodgateError {
  static override readonly code = 'INVALID_REQUEST_ID';

  constructor(policy: string, { id, reason }: { id: unknown; reason: string }) {
    super(`Policy "${policy}": requestId of this call is ${formatValue(id)}. Omit it: ${reason}`);
    this.name = 'InvalidRequestIdError';
  }
}

/** Throws an `InvalidRequestIdError` if calls of a policy cannot have a request id. */
export function validateRequestId(
  { name, settle, levels }: Pick<ResolvedPolicy, 'name' | 'settle' | 'levels'>,
  { id }: RequestId,
): void {
  if (settle !== undefined) {
    const reason =
      'a repeated call is admitted because its units are charged, and those of settled calls return.';
    throw new InvalidRequestIdError(name, { id, reason });
  }
  const inFlight = levels.find(({ algorithm }) => algorithm === 'in-flight');
  if (inFlight) {
    const reason = `a repeated call charges nothing, so it would run without a lease of level "${inFlight.level}".`;
    throw new InvalidRequestIdError(name, { id, reason });
  }
}

/** Returns a request id as an object. */
export function toRequestId(requestId: string | RequestId): RequestId {
  return typeof requestId === 'string' ? { id: requestId } : requestId;
}

/**
 * Returns the fingerprint of an input: a number from 2 to 2^48 + 1, or 1 without an input. Redis stores an integer in 16
 * bytes. Two inputs with the same number (1 pair in 2.8 × 10^14) count as replays, which buy nothing.
 */
export function fingerprintOf({ input }: RequestId, secret: string): number {
  if (input === undefined) return 1;
  return readDigits(hmacSha256(secret, JSON.stringify(['input', input])).slice(0, 8)) + 2;
}
