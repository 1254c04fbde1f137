import { fork } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';

/** One GET at a fixed rate, whether or not earlier ones were answered. */
export interface FloodPlan {
  url: string;
  perSecond: number;
  /** A node that trusts this machine as a proxy counts the GETs by this address. */
  address: string;
}

const reportShape = z.object({
  /** Answers by status; `unanswered` where the connection broke. */
  answers: z.record(z.string(), z.number()),
  /** GETs that were not sent, because too many others had no answer yet. */
  unsent: z.number(),
});
export type FloodReport = z.infer<typeof reportShape>;

export interface Flood {
  /** Ends the flood, cuts the GETs that are not answered, and returns what became of the others. */
  stop(): Promise<FloodReport>;
}

/** Starts a flood in a process of its own, so that the shoppers of the drill do not wait for it. */
export async function startFlood(plan: FloodPlan): Promise<Flood> {
  const child = fork('drills/flood-process.ts', [JSON.stringify(plan)], {
    execArgv: ['--import', 'tsx'],
  });
  await once(child, 'message');
  return {
    async stop() {
      const reported = once(child, 'message');
      child.send('stop');
      const [report] = await reported;
      return reportShape.parse(report);
    },
  };
}
