import { z } from 'zod';
import type { Algorithm } from '../server/limiter/index';
import { type ForkedProcess, forkProcess } from './fork-process';

/** The calls of processes that wait for one window. */
export interface WaitPlan {
  redisUrl: string;
  prefix: string;
  /** Callers of each process, each with one call at a time. */
  waiters: number;
  level: { algorithm: Algorithm; limit: number; windowMs: number };
}

const messageShape = z.object({
  /** Epoch ms of the start of a call, by the clock of Redis. */
  startedAt: z.number(),
  /** Decisions of the store for this process since its last message. */
  checks: z.number(),
});
export type StartedCall = z.infer<typeof messageShape>;

/** Starts a process whose callers wait. `onCall` receives each call that starts. */
export function startWaitingNode(
  plan: WaitPlan,
  onCall: (call: StartedCall) => void,
): Promise<ForkedProcess> {
  return forkProcess('drills/wait-process.ts', {
    plan,
    onMessage: (message) => onCall(messageShape.parse(message)),
  });
}
