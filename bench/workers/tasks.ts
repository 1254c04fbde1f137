import type { Level } from '../contenders/contender.mjs';

/** The tasks of a worker. */
export interface Worker {
  /** Opens a gate with a number. */
  open(options: { gate: number; redisUrl: string; prefix: string; levels: readonly Level[] }): Promise<void>;
  /** Decides for some time, with a number of calls in flight. */
  slice(options: SliceOptions): Promise<Slice>;
  /** Decides once for each subject and hit. */
  fill(options: { gate: number; subjects: number; hits: number }): Promise<void>;
  /** Sends bursts at given times. */
  bursts(options: BurstsOptions): Promise<AdmittedSpans>;
}

export type TaskName = keyof Worker;

export interface TaskRequest {
  id: number;
  task: TaskName;
  options: unknown;
}

export interface SliceOptions {
  gate: number;
  /** Time in which calls start, in ms. */
  forMs: number;
  inFlight: number;
  /** Number of subjects of the first level, used in rotation. The other levels have one subject. */
  subjects: number;
  levels: number;
}

export interface Slice {
  calls: number;
  admitted: number;
  perSecond: number;
  /** CPU time of this process per call, in µs. */
  cpuUs: number;
  /** Median time of one call in µs, only with one call in flight. */
  p50Us: number | undefined;
}

export interface BurstsOptions {
  gate: number;
  /** Time of `atMs` 0, in µs of the machine's monotonic clock. */
  startUs: number;
  bursts: readonly { atMs: number; calls: number }[];
}

/** Send and answer time of each admitted call, in ms after the start. */
export type AdmittedSpans = readonly (readonly [sent: number, answered: number])[];
