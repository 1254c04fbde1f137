import { z } from 'zod';
import { type ForkedProcess, forkProcess } from './fork-process';

/** The window that settling processes charge. */
export interface SettlePlan {
  redisUrl: string;
  prefix: string;
  limit: number;
  windowMs: number;
  maxCost: number;
}

const messageShape = z.object({
  id: z.string(),
  /** Epoch ms of the call, by the clock of Redis. */
  at: z.number(),
  /** The units that the call counts from now on. */
  units: z.number(),
});
export type CountedCall = z.infer<typeof messageShape>;

/** Starts a process that makes and settles calls. `onCall` receives each admitted call, and again before it is settled. */
export function startSettlingNode(
  plan: SettlePlan,
  onCall: (call: CountedCall) => void,
): Promise<ForkedProcess> {
  return forkProcess('drills/settle-process.ts', {
    plan,
    onMessage: (message) => onCall(messageShape.parse(message)),
  });
}
