import { setTimeout as sleep } from 'node:timers/promises';
import { algorithms } from './algorithms';
import type { LabRun, RunInput } from './run';

/** The calls of the lab's default scenario: the whole limit right before an edge of the window, and again right after it. */
export const exampleInput: RunInput = {
  algorithms,
  limit: 10,
  windowMs: 10_000,
  arrivals: [9_400, 10_000].flatMap((from) => Array.from({ length: 10 }, (_, index) => from + index * 60)),
};

/** The minimum time between the starts of two runs. */
export const EXAMPLE_INTERVAL_MS = 60_000;
/** The same after a failed run. */
export const RETRY_INTERVAL_MS = 5_000;
/** A reader waits this long for the first result. */
const MAX_WAIT_MS = 500;

export interface ExampleOptions {
  run: (input: RunInput) => Promise<LabRun>;
  onFailure: (error: unknown) => void;
  /** Monotonic time in ms. */
  now?: () => number;
}

/**
 * Creates the reader of the default scenario's result, which all visitors of a node share. A read starts a run if the
 * last one is `EXAMPLE_INTERVAL_MS` old, and returns the former result meanwhile. It returns null while there is none, for
 * example because Redis is down.
 */
export function createReadExample({ run, onFailure, now = () => performance.now() }: ExampleOptions) {
  let latest: LabRun | null = null;
  let nextRunAt = Number.NEGATIVE_INFINITY;
  let running = Promise.resolve();

  async function refresh(): Promise<void> {
    nextRunAt = now() + EXAMPLE_INTERVAL_MS;
    try {
      latest = await run(exampleInput);
    } catch (error) {
      nextRunAt = now() + RETRY_INTERVAL_MS;
      onFailure(error);
    }
  }

  return async function readExample(): Promise<LabRun | null> {
    if (now() >= nextRunAt) running = refresh();
    if (!latest) await Promise.race([running, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    return latest;
  };
}
