import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';

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

/** A process that makes calls with leases until it is killed. */
export interface LeasingNode {
  freeze(): void;
  resume(): void;
  kill(): Promise<void>;
}

/** Starts a process that makes calls. `onCall` receives each admitted call, and again when it is renewed and released. */
export async function startLeasingNode(
  plan: LeasePlan,
  onCall: (call: HeldCall) => void,
): Promise<LeasingNode> {
  const child: ChildProcess = fork('drills/lease-process.ts', [JSON.stringify(plan)], {
    execArgv: ['--import', 'tsx'],
  });
  child.on('message', (message) => onCall(messageShape.parse(message)));
  await once(child, 'message');
  return {
    freeze: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
