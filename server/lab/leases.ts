import type { Experiment, RunExperiment } from '../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../experiments/experiment-limiter';
import { worstWindow } from './decided-call';

/** The same calls of three nodes, on levels that they lease and on levels that decide each call in Redis. */
export interface LeaseComparison {
  nodes: number;
  forMs: number;
  runs: LeaseRun[];
}

export interface LeaseRun {
  limit: number;
  windowMs: number;
  isLeased: boolean;
  calls: number;
  admitted: number;
  /** The greatest number of admitted calls in any window. */
  worstWindow: number;
  /** Calls of the script, also those that return units, per 1,000 calls. */
  commandsPer1000: number;
}

const NODES = 3;
const WINDOW_MS = 10_000;
const FOR_MS = 500;
/** The limit of the sale, which is too small for a lease, and a large one. */
const LIMITS = [100, 1_000];
/** Calls arrive at this part of the limit, and then all at once. */
const STEADY_PART = 0.9;
const STEADY_MS = 12_000;
const BURST_PART = 0.3;

/** Creates the comparison of leased and single decisions. */
export function createCompareLeases({ runExperiment }: { runExperiment: RunExperiment }) {
  return function compareLeases({ signal }: { signal?: AbortSignal | undefined }): Promise<LeaseComparison> {
    return runExperiment({ signal }, async (experiment) => {
      const runs: LeaseRun[] = [];
      for (const limit of LIMITS)
        for (const isLeased of [false, true]) runs.push(await runCalls(experiment, { limit, isLeased }));
      return { nodes: NODES, forMs: FOR_MS, runs };
    });
  };
}

async function runCalls(
  experiment: Experiment,
  { limit, isLeased }: { limit: number; isLeased: boolean },
): Promise<LeaseRun> {
  const policy = experimentPolicy(`${isLeased ? 'leased' : 'single'}-${limit}`, [
    {
      level: 'global',
      algorithm: 'sliding-counter',
      subWindows: 50,
      ...{ limit, windowMs: WINDOW_MS },
      ...(isLeased && { lease: { forMs: FOR_MS } }),
    },
  ]);
  const nodes = Array.from({ length: NODES }, () => experiment.limiter(undefined, { timeoutMs: FOR_MS / 2 }));
  const origin = clockOrigin(WINDOW_MS);
  const arrivals = listArrivals(limit);
  const admitted: number[] = [];
  try {
    for (const [index, at] of arrivals.entries()) {
      experiment.signal.throwIfAborted();
      const decision = await nodes[index % NODES]?.decideAt(origin + at, policy);
      if (decision?.allowed) admitted.push(at);
    }
  } finally {
    await Promise.all(nodes.map((node) => node.close()));
  }
  const commands = nodes.reduce((sum, node) => sum + node.scriptCalls(), 0);
  return {
    ...{ limit, windowMs: WINDOW_MS, isLeased, calls: arrivals.length, admitted: admitted.length },
    worstWindow: worstWindow(admitted, WINDOW_MS).count,
    commandsPer1000: Math.round((1_000 * commands) / arrivals.length),
  };
}

function listArrivals(limit: number): number[] {
  const everyMs = WINDOW_MS / (STEADY_PART * limit);
  const steady = Array.from({ length: Math.floor(STEADY_MS / everyMs) }, (_, index) =>
    Math.floor(index * everyMs),
  );
  return [...steady, ...Array<number>(BURST_PART * limit).fill(STEADY_MS)];
}
