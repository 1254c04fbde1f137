import type { Goal } from '../report/goals.mjs';

export type Size = 'full' | 'quick' | 'smoke';

/** The environment of a measurement. */
export interface Lab {
  size: Size;
  /** The URL of the run's Redis. */
  redisUrl: string;
  /** Deletes everything in Redis. */
  empty(): Promise<void>;
  /** Returns the CPU time of Redis so far, in µs. */
  redisCpuUs(): Promise<number>;
  /** Returns the number of keys and their memory (`MEMORY USAGE`). */
  measureBytes(): Promise<number>;
  /** Shows the progress. */
  note(text: string): void;
  /** A folder that is deleted at the end of the run. */
  folder: string;
  /** Registers a cleanup for the end of the figure. The newest runs first. */
  onEnd(stop: () => Promise<void>): void;
}

/** The result of a figure. */
export interface Finding {
  /** The section of docs/benchmarks.md below its heading, with the method first, so that readers can judge the numbers. */
  text: string;
  goals: readonly Goal[];
  /** Plots by file name, for docs/benchmarks/. */
  plots: Readonly<Record<string, string>>;
  /** All measured numbers, for the results file. */
  data: unknown;
}

/** One part of the benchmark. */
export interface Figure {
  /** The name for `--only`. */
  name: string;
  title: string;
  /** Number of cores that it keeps busy. */
  ownLoad: number;
  measure(lab: Lab): Promise<Finding>;
}
