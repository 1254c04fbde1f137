import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';

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

/** A process that makes and settles calls until it is killed. */
export interface SettlingNode {
  kill(): Promise<void>;
}

/** Starts a process that makes calls. `onCall` receives each admitted call, and again before it is settled. */
export async function startSettlingNode(
  plan: SettlePlan,
  onCall: (call: CountedCall) => void,
): Promise<SettlingNode> {
  const child: ChildProcess = fork('drills/settle-process.ts', [JSON.stringify(plan)], {
    execArgv: ['--import', 'tsx'],
  });
  child.on('message', (message) => onCall(messageShape.parse(message)));
  await once(child, 'message');
  return {
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
