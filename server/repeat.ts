/** A job that runs again and again until it is stopped. */
export interface Repeating {
  /** Ends when a run that has begun is over. */
  stop(): Promise<void>;
}

/**
 * Runs a job now, and again `everyMs` after it has ended; never two at once. A run that fails is reported once per
 * row of failures, and the next one is tried all the same.
 */
export function repeat(
  job: () => Promise<void>,
  { everyMs, onFailure }: { everyMs: number; onFailure: (error: unknown) => void },
): Repeating {
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
