import type { Algorithm, RateLimitErrorData } from '../limiter';
import type { DecidedCall } from './decided-call';
import type { KeyLook } from './key-look';

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

export interface AlgorithmRun {
  algorithm: Algorithm;
  /** In the order of time. */
  decisions: DecidedCall[];
  admitted: number;
  refused: number;
  /** The most that were admitted in any (t - windowMs, t]. */
  worstWindow: number;
  /** The earliest t of that window, in ms on the lab's clock; null where nothing was admitted. */
  worstWindowEndsAt: number | null;
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
