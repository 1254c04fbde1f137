import type { Log } from './observability/log';

/** A background job that runs repeatedly until it is stopped. */
export interface RunningJob {
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/**
 * Runs a job now, and again `everyMs` after each run has ended, so runs never overlap. A series of failed runs is
 * reported once, and the job goes on.
 */
export function startJob(
  job: () => Promise<void>,
  { everyMs, onFailure }: { everyMs: number; onFailure: (error: unknown) => void },
): RunningJob {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isFailing = false;
  let running = run();

  async function run(): Promise<void> {
    try {
      await job();
      isFailing = false;
    } catch (error) {
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
    if (isStopped) return;
    timer = setTimeout(() => {
      running = run();
    }, everyMs);
  }

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

/** A background job of a node. */
export interface Job {
  /** The start of the log line for a failure, such as "Sending the heartbeat". */
  name: string;
  run: () => Promise<void>;
  /** Time between two runs, in ms. */
  everyMs: number;
}

/** Starts jobs that go on after a failure, which is logged. `stop` resolves when all current runs have ended. */
export function startJobs(
  jobs: readonly Job[],
  { log, onFailure }: { log: Pick<Log, 'warn'>; onFailure: (error: unknown) => void },
): RunningJob {
  const running = jobs.map(({ name, run, everyMs }) =>
    startJob(run, {
      everyMs,
      onFailure(error) {
        onFailure(error);
        log.warn({ err: error }, `${name} failed. The job goes on.`);
      },
    }),
  );
  return {
    async stop() {
      await Promise.all(running.map((job) => job.stop()));
    },
  };
}

/**
 * Returns the result of a promise, or after `ms` that of `onTimeout`, which may throw. A later result of the promise is
 * ignored.
 */
export async function withTimeout<Result>(
  result: Promise<Result>,
  ms: number,
  onTimeout: () => Result,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([result, timeout.then(onTimeout)]);
  } finally {
    clearTimeout(timer);
  }
}
