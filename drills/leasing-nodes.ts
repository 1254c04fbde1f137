import { z } from 'zod';
import { type ForkedProcess, forkProcess } from './fork-process';

/** The calls in flight that leasing processes hold. */
export interface LeasePlan {
  redisUrl: string;
  prefix: string;
  concurrent: number;
  leaseMs: number;
}

const messageShape = z.object({
  id: z.string(),
  /** Epoch ms of the admission, by the clock of Redis. */
  from: z.number(),
  /** Epoch ms until which the call certainly holds its lease: its end, or the instant before its release. */
  until: z.number(),
  /** The reply to the release, once it has been sent. */
  wasReleased: z.boolean().optional(),
});
export type HeldCall = z.infer<typeof messageShape>;

/**
 * Starts a process that makes calls with leases. `onCall` receives each admitted call, and again when it is renewed and
 * released.
 */
export function startLeasingNode(plan: LeasePlan, onCall: (call: HeldCall) => void): Promise<ForkedProcess> {
  return forkProcess('drills/lease-process.ts', {
    plan,
    onMessage: (message) => onCall(messageShape.parse(message)),
  });
}
