import {
  type Algorithm,
  type Decision,
  type RateLimitErrorData,
  rateLimitHeaders,
  refusalData,
} from '../limiter';
import type { Experiment, RunExperiment } from '../sandbox/experiment';
import { mapInChunks } from '../sandbox/map-in-chunks';
import { labPolicy } from '../sandbox/sandbox-limiter';
import { clockOrigin } from '../sandbox/simulated-clock';
import { getBound } from './algorithms';
import { type Outcome, summarizeDecisions, toDecidedCall } from './decided-call';
import type { KeySnapshot } from './key-snapshot';
import type { ReportProgress } from './progress';
import { readKeySnapshots } from './read-key-snapshots';
import { worstWindow } from './worst-window';

export interface RunInput {
  algorithms: readonly Algorithm[];
  limit: number;
  windowMs: number;
  /** Times in ms on the lab's clock, in any order. */
  arrivals: readonly number[];
  /** Id under which the run reports its progress. */
  runId?: string | undefined;
  /** Aborts when the caller disconnects. */
  signal?: AbortSignal | undefined;
}

/** Decisions of each algorithm on the same arrivals. */
export interface LabRun {
  runs: AlgorithmRun[];
}

export interface AlgorithmRun extends Outcome {
  algorithm: Algorithm;
  /** Largest number of starts in any (t - windowMs, t]. Differs from `worstWindow` for a leaky bucket, which delays calls. */
  worstStarts: number;
  worstStartsEndAt: number | null;
  /** Published maximum of `worstWindow`. */
  bound: number;
  /** Memory of its keys after the last arrival, in bytes. */
  keyBytes: number;
  keys: KeySnapshot[];
  /** Responses to the last admitted call and to the first refused call. Null if there is none. */
  tells: { admitted: LimiterResponse | null; refused: LimiterResponse | null };
}

/** The HTTP form of a decision. */
export interface LimiterResponse {
  at: number;
  /** Header names are in lower case. */
  headers: Record<string, string>;
  /** `error.data.rateLimit` of a refusal. Null for an admitted call. */
  data: RateLimitErrorData | null;
}

/** Creates the run: each algorithm decides the same arrivals with the product's scripts on the lab's clock. */
export function createRun({
  runExperiment,
  reportProgress,
}: {
  runExperiment: RunExperiment;
  reportProgress: ReportProgress;
}) {
  return function run({ algorithms, arrivals, runId, signal, ...limits }: RunInput): Promise<LabRun> {
    return runExperiment({ signal }, async (experiment) => {
      const ordered = arrivals.toSorted((one, other) => one - other);
      const of = algorithms.length * ordered.length;
      const runs: AlgorithmRun[] = [];
      for (const [index, algorithm] of algorithms.entries()) {
        const onDone = (done: number) =>
          reportProgress(runId, { done: index * ordered.length + done, of }, experiment);
        runs.push(await runAlgorithm(experiment, { algorithm, arrivals: ordered, ...limits, onDone }));
      }
      return { runs };
    });
  };
}

interface AlgorithmRunInput {
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  arrivals: readonly number[];
  onDone: (done: number) => Promise<void>;
}

async function runAlgorithm(
  experiment: Experiment,
  { algorithm, limit, windowMs, arrivals, onDone }: AlgorithmRunInput,
): Promise<AlgorithmRun> {
  const { signal } = experiment;
  const limiter = experiment.limiter();
  const origin = clockOrigin(windowMs);
  // A sub-window is at least 1 ms long.
  const subWindows = Math.min(10, windowMs);
  const policy = labPolicy(algorithm, [{ level: 'global', algorithm, limit, windowMs, subWindows }]);
  const listNewKeys = experiment.trackNewKeys();
  const decided = await mapInChunks(
    arrivals,
    async (at) => ({ at, decision: await limiter.decideAt(origin + at, policy) }),
    { signal, onDone },
  );
  const decisions = decided.map(({ at, decision }) => toDecidedCall(at, decision));
  const starts = worstWindow(
    decisions.flatMap(({ at, allowed, delayMs }) => (allowed ? [at + delayMs] : [])),
    windowMs,
  );
  const keys = await readKeySnapshots(experiment, listNewKeys(), { packedBy: algorithm, origin });
  return {
    algorithm,
    ...summarizeDecisions(decisions, windowMs),
    worstStarts: starts.count,
    worstStartsEndAt: starts.endsAt,
    bound: getBound(algorithm, limit),
    keyBytes: keys.reduce((sum, { bytes }) => sum + bytes, 0),
    keys,
    tells: {
      admitted: toResponse(decided.findLast(({ decision }) => decision.allowed)),
      refused: toResponse(decided.find(({ decision }) => !decision.allowed)),
    },
  };
}

function toResponse(call: { at: number; decision: Decision } | undefined): LimiterResponse | null {
  if (!call) return null;
  const { at, decision } = call;
  return {
    at,
    headers: rateLimitHeaders([decision]),
    data: decision.allowed ? null : refusalData(decision),
  };
}
