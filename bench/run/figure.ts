import type { Goal } from '../report/goals.mjs';

export type Size = 'full' | 'quick' | 'smoke';

/** What a figure is measured in. */
export interface Lab {
  size: Size;
  /** The one Redis of the run. */
  redisUrl: string;
  /** Begins Redis anew: nothing is in it. */
  empty(): Promise<void>;
  /** Processor time that Redis has used so far, in µs. */
  redisCpuUs(): Promise<number>;
  /** All keys, and what Redis says they take (`MEMORY USAGE`). */
  bytesOfKeys(): Promise<{ keys: number; bytes: number }>;
  /** Shows what is being done. */
  note(text: string): void;
  /** A folder that is gone when the run ends. */
  folder: string;
  /** Ends with the figure, the newest first. */
  onEnd(stop: () => Promise<void>): void;
}

/** What a figure has to say. */
export interface Finding {
  /** The section of docs/benchmarks.md below its heading: method first, so that the numbers can be doubted properly. */
  text: string;
  goals: readonly Goal[];
  /** Plots by file name, for docs/benchmarks/. */
  plots: Readonly<Record<string, string>>;
  /** Everything that was measured, for the results file. */
  data: unknown;
}

/** One part of the benchmark. */
export interface Figure {
  /** What `--only` chooses it by. */
  name: string;
  title: string;
  /** How many cores it keeps busy by itself. */
  ownLoad: number;
  measure(lab: Lab): Promise<Finding>;
}
