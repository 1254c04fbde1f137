import { createHmac } from 'node:crypto';

/** Identifies a retried call. */
export interface RequestId {
  /** Scoped as the retry must be: the caller, the procedure and the caller's own id. */
  id: string;
  /**
   * What the call is for. A call with a charged id and another input throws `RequestIdConflictError`. Default: an id
   * goes with every input.
   */
  input?: string | undefined;
  /**
   * The id that version 0.1.0 charged this call under: a call that it charged in the last 24 hours is a replay, too.
   * Default: 0.1.0 cannot have charged it.
   */
  formerId?: string | undefined;
}

/** The request id was charged with another input in the last 24 hours. Nothing was charged: answer 409. */
export class RequestIdConflictError extends Error {
  constructor() {
    super('This request id came with another input before. Make a new one.');
    this.name = 'RequestIdConflictError';
  }
}

export function toRequestId(requestId: string | RequestId): RequestId {
  return typeof requestId === 'string' ? { id: requestId } : requestId;
}

/**
 * A number from 2 to 2^48 + 1 that stands for an input, or 1 where there is none: Redis stores an integer in 16 bytes.
 * Two inputs that share a number (1 pair in 2.8 × 10^14) are replays of each other, which buy nothing.
 */
export function fingerprintOf({ input }: RequestId, secret: string): number {
  if (input === undefined) return 1;
  const hmac = createHmac('sha256', secret).update(JSON.stringify(['input', input]));
  return hmac.digest().readUIntBE(0, 6) + 2;
}
