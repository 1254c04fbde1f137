import { TRPCClientError } from '@trpc/client';
import { createSteps, describeError, StepError } from '../../scripts/lib/steps.mjs';
import type { AppRouter } from '../../server/router';
import { withTimeout } from '../../server/timers';
import { rejectOnAbort } from '../ignore-abort';

/** Runs one step of a smoke test and prints its line. `note` sets the text behind its time. */
export type RunStep = <Result>(
  name: string,
  work: (note: (text: string) => void) => Promise<Result>,
) => Promise<Result>;

export interface SmokeStepsOptions {
  /** Ends the running step. */
  signal: AbortSignal;
  /** Receives the line of each step. Default: the standard output. */
  print?: (line: string) => void;
}

/** Longer than a full window of the sale, on a slow machine. */
const STEP_WITHIN_MS = 60_000;

/** Creates the function that runs the steps of a smoke test. The error of a failed step contains its name. */
export function createSmokeSteps({ signal, print }: SmokeStepsOptions): RunStep {
  const steps = createSteps(print);
  return async (name, work) => {
    signal.throwIfAborted();
    try {
      return await steps.run(name, (note) => {
        const ended = Promise.race([work(note), rejectOnAbort(signal)]);
        // Its timer keeps the process running, which a pending fetch alone does not.
        return withTimeout(ended, STEP_WITHIN_MS, throwLate);
      });
    } catch (error) {
      throw new StepError(`The step "${name}" failed: ${explain(error)}`, { cause: error });
    }
  };
}

function throwLate(): never {
  throw new StepError(`it has not ended after ${STEP_WITHIN_MS / 1_000} s.`);
}

function explain(error: unknown): string {
  if (!(error instanceof TRPCClientError)) return describeError(error);
  const { data, message, cause }: TRPCClientError<AppRouter> = error;
  if (data) return `${data.path} answered ${data.httpStatus} ${data.code}: ${message}`;
  return `no answer of the API: ${cause?.cause ?? message}`;
}
