import type { HealthChecks } from '../http/health';
import type { Log } from '../observability/log';
import { type Job, type RunningJob, startJobs } from '../timers';

/** A part of a node: the functions that it offers, and everything that the node runs, checks and stops for it. */
export interface Subsystem<Verbs = unknown> {
  verbs: Verbs;
  jobs?: readonly Job[];
  /** The node is ready only while all of these succeed. */
  checks?: HealthChecks;
  /** `/readyz` lists these without a change of readiness, because all nodes share the problem. */
  warnings?: HealthChecks;
  stop?: () => Promise<void>;
}

/** Returns the checks and the warnings of all subsystems. */
export function mergeChecks(subsystems: readonly Subsystem[]): Record<'checks' | 'warnings', HealthChecks> {
  return {
    checks: Object.assign({}, ...subsystems.map(({ checks }) => checks)),
    warnings: Object.assign({}, ...subsystems.map(({ warnings }) => warnings)),
  };
}

/** The subsystems of one node. */
export interface RunningSubsystems {
  /** Starts all jobs. Call it when the node listens: its start keeps the machine busy, and calls to its stores time out. */
  startJobs(): void;
  /**
   * Stops the node: first all jobs, then the layers in reverse order, because each layer uses the ones before it. The
   * subsystems of one layer stop at the same time.
   */
  stop(): Promise<void>;
}

/** Joins the subsystems of a node, in layers. */
export function joinSubsystems(
  layers: readonly (readonly Subsystem[])[],
  { log, observeStoreError }: { log: Pick<Log, 'warn'>; observeStoreError: (error: unknown) => void },
): RunningSubsystems {
  let running: RunningJob | undefined;
  return {
    startJobs() {
      const jobs = layers.flat().flatMap((subsystem) => subsystem.jobs ?? []);
      running = startJobs(jobs, { log, onFailure: observeStoreError });
    },
    async stop() {
      await running?.stop();
      for (const layer of layers.toReversed())
        await Promise.all(layer.map((subsystem) => subsystem.stop?.()));
    },
  };
}

/** Runs one step of the start. */
export type Step = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>;

/** Creates a function that runs a step and reports its name and duration in ms. */
export function createStep(onStep: (name: string, ms: number) => void): Step {
  return async function step(name, work) {
    const startedAt = performance.now();
    const result = await work();
    onStep(name, Math.round(performance.now() - startedAt));
    return result;
  };
}
