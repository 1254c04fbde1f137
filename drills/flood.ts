import { once } from 'node:events';
import { z } from 'zod';
import { forkProcess } from './fork-process';

/** One GET at a fixed rate, independent of the answers to earlier ones. */
export interface FloodPlan {
  url: string;
  perSecond: number;
  /** A node that trusts this machine as a proxy counts the GETs by this address. */
  address: string;
}

const reportShape = z.object({
  /** Number of answers by status. `unanswered` counts broken connections. */
  answers: z.record(z.string(), z.number()),
  /** Number of GETs that were skipped because too many others were unanswered. */
  unsent: z.number(),
});
export type FloodReport = z.infer<typeof reportShape>;

export interface Flood {
  /** Ends the flood, aborts unanswered GETs and returns the answers to the others. */
  stop(): Promise<FloodReport>;
}

/** Starts a flood in its own process, so that it does not slow down the shoppers of the drill. */
export async function startFlood(plan: FloodPlan): Promise<Flood> {
  const { child } = await forkProcess('drills/flood-process.ts', { plan });
  return {
    async stop() {
      const reported = once(child, 'message');
      child.send('stop');
      const [report] = await reported;
      return reportShape.parse(report);
    },
  };
}
