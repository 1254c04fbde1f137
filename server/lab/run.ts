import {
  type Algorithm,
  type Decision,
  type RateLimitErrorData,
  rateLimitHeaders,
  refusalData,
} from '../limiter';
import { boundOf } from './algorithms';
import { decidedCall, type Outcome, outcomeOf } from './decided-call';
import type { Conduct, Experiment } from './experiment';
import { inChunks } from './in-chunks';
import type { KeyLook } from './key-look';
import { clockOrigin } from './lab-clock';
import { labPolicy } from './lab-limiter';
import { looksAt } from './look-at-key';
import type { TellProgress } from './progress';
import { worstWindow } from './worst-window';

export interface RunOrder {
  algorithms: readonly Algorithm[];
  limit: number;
  windowMs: number;
  /** In ms on the lab's clock, in any order. */
  arrivals: readonly number[];
  /** Under which the run tells of its progress. */
  runId?: string | undefined;
  /** Aborted when the caller goes away. */
  signal?: AbortSignal | undefined;
}

/** The same arrivals, as each algorithm decides them. */
export interface LabRun {
  runs: AlgorithmRun[];
}

export interface AlgorithmRun extends Outcome {
  algorithm: Algorithm;
  /** The most that started in any (t - windowMs, t]: of a leaky bucket, which lets calls wait, not the same. */
  worstStarts: number;
  worstStartsEndAt: number | null;
  /** What the algorithm promises at most of `worstWindow`. */
  bound: number;
  /** What its keys take in Redis after the last arrival. */
  keyBytes: number;
  keys: KeyLook[];
  /** What the first refused caller and the last admitted one are told; null where there is none. */
  tells: { admitted: Told | null; refused: Told | null };
}

/** An answer of the limiter, as HTTP carries it. */
export interface Told {
  at: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** `error.data.rateLimit` of a refusal; null of an admission. */
  data: RateLimitErrorData | null;
}

/** Decides the same arrivals by each algorithm, with the product's own scripts, on the lab's clock. */
export function createRun({ conduct, tellProgress }: { conduct: Conduct; tellProgress: TellProgress }) {
  return function run({ algorithms, arrivals, runId, signal, ...rule }: RunOrder): Promise<LabRun> {
    return conduct({ signal }, async (experiment) => {
      const ordered = arrivals.toSorted((one, other) => one - other);
      const of = algorithms.length * ordered.length;
      const runs: AlgorithmRun[] = [];
      for (const [place, algorithm] of algorithms.entries()) {
        const onDone = (done: number) =>
          tellProgress(runId, { done: place * ordered.length + done, of }, experiment);
        runs.push(await runOne(experiment, { algorithm, arrivals: ordered, ...rule, onDone }));
      }
      return { runs };
    });
  };
}

interface OneRun {
  algorithm: Algorithm;
  limit: number;
  windowMs: number;
  arrivals: readonly number[];
  onDone: (done: number) => Promise<void>;
}

async function runOne(
  experiment: Experiment,
  { algorithm, limit, windowMs, arrivals, onDone }: OneRun,
): Promise<AlgorithmRun> {
  const { signal } = experiment;
  const limiter = experiment.limiter();
  const origin = clockOrigin(windowMs);
  // A sub-window has 1 ms at least.
  const subWindows = Math.min(10, windowMs);
  const policy = labPolicy(algorithm, [{ level: 'global', algorithm, limit, windowMs, subWindows }]);
  const own = experiment.newKeys();
  const decided = await inChunks(
    arrivals,
    async (at) => ({ at, decision: await limiter.decideAt(origin + at, policy) }),
    { signal, onDone },
  );
  const decisions = decided.map(({ at, decision }) => decidedCall(at, decision));
  const starts = worstWindow(
    decisions.flatMap(({ at, allowed, delayMs }) => (allowed ? [at + delayMs] : [])),
    windowMs,
  );
  const keys = await looksAt(experiment, own(), { packedBy: algorithm, origin });
  return {
    algorithm,
    ...outcomeOf(decisions, windowMs),
    worstStarts: starts.count,
    worstStartsEndAt: starts.endsAt,
    bound: boundOf(algorithm, limit),
    keyBytes: keys.reduce((sum, { bytes }) => sum + bytes, 0),
    keys,
    tells: {
      admitted: told(decided.findLast(({ decision }) => decision.allowed)),
      refused: told(decided.find(({ decision }) => !decision.allowed)),
    },
  };
}

function told(call: { at: number; decision: Decision } | undefined): Told | null {
  if (!call) return null;
  const { at, decision } = call;
  return {
    at,
    headers: rateLimitHeaders([decision]),
    data: decision.allowed ? null : refusalData(decision),
  };
}
