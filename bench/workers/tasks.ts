import type { Level } from '../contenders/contender.mjs';

/** What a worker can be told, and what it answers. */
export interface Worker {
  /** Opens a gate under a number. */
  open(order: { gate: number; redisUrl: string; prefix: string; levels: readonly Level[] }): Promise<void>;
  /** Decides for a while, so many calls at once. */
  slice(order: SliceOrder): Promise<Slice>;
  /** The same under V8's profiler: shares of the busy time, by where the functions stand. */
  profile(order: SliceOrder): Promise<Record<string, number>>;
  /** Decides once for each subject and hit. */
  fill(order: { gate: number; subjects: number; hits: number }): Promise<{ admitted: number }>;
  /** Sends bursts at instants, and tells when each admitted call was under way. */
  bursts(order: BurstsOrder): Promise<Played>;
}

export type TaskName = keyof Worker;

export interface Request {
  id: number;
  task: TaskName;
  order: unknown;
}

export interface SliceOrder {
  gate: number;
  /** How long calls are begun, in ms. */
  forMs: number;
  inFlight: number;
  /** Subjects that take turns at the first level; the others count everybody together. */
  subjects: number;
  levels: number;
}

export interface Slice {
  calls: number;
  admitted: number;
  perSecond: number;
  /** Processor time of this process for one call, in µs. */
  cpuUs: number;
  /** Median time of one call, in µs; only where one is in flight. */
  p50Us: number | undefined;
}

export interface BurstsOrder {
  gate: number;
  /** Microseconds of the machine's monotonic clock at which `atMs` is 0. */
  startUs: number;
  bursts: readonly { atMs: number; calls: number }[];
}

export interface Played {
  asked: number;
  /** Of each admitted call: when it was asked, and when it was answered, in ms after the start. */
  admitted: readonly (readonly [sent: number, answered: number])[];
}
