import { z } from 'zod';
import { awaitReply, type Experiment, type RunExperiment } from '../experiments/experiment';
import { clockOrigin, experimentPolicy } from '../experiments/experiment-limiter';
import { mapInChunks } from '../experiments/map-in-chunks';
import {
  type Algorithm,
  type Decision,
  type RateLimitErrorData,
  rateLimitHeaders,
  refusalData,
  withinStoreTimeout,
} from '../limiter/index';
import type { RedisClient } from '../redis/client';
import { labProgressKey } from '../redis/keys';
import { getBound } from './algorithms';
import { type Outcome, summarizeDecisions, toDecidedCall, worstWindow } from './decided-call';
import { type KeySnapshot, readKeySnapshots } from './key-snapshots';

export interface RunInput {
  algorithms: readonly Algorithm[];
  limit: number;
  windowMs: number;
  /** Sub-windows of the sliding counter: 1 to 100. Default: 10. A sub-window is at least 1 ms long. */
  subWindows?: number | undefined;
  /** Times in ms on the experiment's clock, in any order. */
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
  /** Time of a decision in ms, with the network and with up to 100 decisions at once. 0 without calls. */
  tookMs: { median: number; max: number };
  /** Responses to the last admitted call and to the first refused call. Null if there is none. The name is published. */
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

/** Creates the run: each algorithm decides the same arrivals with the product's scripts on the experiment's clock. */
export function createRun({ runExperiment }: { runExperiment: RunExperiment }) {
  return function run({ algorithms, arrivals, runId, signal, ...limits }: RunInput): Promise<LabRun> {
    return runExperiment({ signal }, async (experiment) => {
      const ordered = arrivals.toSorted((one, other) => one - other);
      const of = algorithms.length * ordered.length;
      const runs: AlgorithmRun[] = [];
      for (const [index, algorithm] of algorithms.entries()) {
        const onDone = async (done: number) => {
          if (runId === undefined) return;
          await reportProgress(experiment.clients[0], { runId, done: index * ordered.length + done, of });
        };
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
  subWindows?: number | undefined;
  arrivals: readonly number[];
  onDone: (done: number) => Promise<void>;
}

async function runAlgorithm(
  experiment: Experiment,
  { algorithm, limit, windowMs, subWindows = 10, arrivals, onDone }: AlgorithmRunInput,
): Promise<AlgorithmRun> {
  const { signal } = experiment;
  const limiter = experiment.limiter();
  const origin = clockOrigin(windowMs);
  const policy = experimentPolicy(algorithm, [
    { level: 'global', algorithm, limit, windowMs, subWindows: Math.min(subWindows, windowMs) },
  ]);
  const listNewKeys = experiment.trackNewKeys();
  const decided = await mapInChunks(
    arrivals,
    async (at) => {
      const started = performance.now();
      const decision = await limiter.decideAt(origin + at, policy);
      return { at, decision, tookMs: performance.now() - started };
    },
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
    tookMs: summarizeTimes(decided.map(({ tookMs }) => tookMs)),
    tells: {
      admitted: toResponse(decided.findLast(({ decision }) => decision.allowed)),
      refused: toResponse(decided.find(({ decision }) => !decision.allowed)),
    },
  };
}

function summarizeTimes(times: readonly number[]): AlgorithmRun['tookMs'] {
  const sorted = times.toSorted((one, other) => one - other);
  const toTenth = (ms = 0) => Math.round(ms * 10) / 10;
  return { median: toTenth(sorted[Math.floor(sorted.length / 2)]), max: toTenth(sorted.at(-1)) };
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

/** Progress of a run. */
export interface Progress {
  /** Finished decisions. */
  done: number;
  /** Total number of decisions. */
  of: number;
  /** Experiments that run before this one. Default: 0. */
  ahead?: number | undefined;
}

/** Longer than the longest run. */
const PROGRESS_TTL_MS = 60_000;

/** Stores the progress of a run for its caller. */
export async function reportProgress(
  client: RedisClient,
  { runId, ...progress }: Progress & { runId: string },
): Promise<void> {
  await awaitReply(client.set(labProgressKey(runId), JSON.stringify(progress), 'PX', PROGRESS_TTL_MS));
}

const progressSchema = z.object({ done: z.number(), of: z.number(), ahead: z.number().optional() });

/** Creates the reader of a run's progress, from any node. It returns null for an unknown or old id. */
export function createReadProgress({ redis }: { redis: RedisClient }) {
  return async function readProgress(runId: string): Promise<Progress | null> {
    const text = await withinStoreTimeout(redis.get(labProgressKey(runId)), 250);
    return text === null ? null : progressSchema.parse(JSON.parse(text));
  };
}
