/** A background job that runs repeatedly until it is stopped. */
export interface Job {
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/**
 * Runs a job now, and again `everyMs` after each run has ended, so runs never overlap. A series of failed runs is
 * reported once, and the job goes on.
 */
export function repeat(
  job: () => Promise<void>,
  { everyMs, onFailure }: { everyMs: number; onFailure: (error: unknown) => void },
): Job {
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
