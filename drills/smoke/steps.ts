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
  /** The time after which a step fails, in ms. Default: 60,000, longer than a full window of the sale on a slow machine. */
  withinMs?: number;
}

/** Creates the function that runs the steps of a smoke test. The error of a failed step contains its name. */
export function createSmokeSteps({ signal, print, withinMs = 60_000 }: SmokeStepsOptions): RunStep {
  const steps = createSteps(print);
  return async (name, work) => {
    signal.throwIfAborted();
    try {
      return await steps.run(name, (note) => {
        const ended = Promise.race([work(note), rejectOnAbort(signal)]);
        // Its timer keeps the process running, which a pending fetch alone does not.
        return withTimeout(ended, withinMs, () => {
          throw new StepError(`it has not ended after ${withinMs / 1_000} s.`);
        });
      });
    } catch (error) {
      throw new StepError(`The step "${name}" failed: ${explainError(error)}`, { cause: error });
    }
  };
}

/** Returns the message of an error; for an error reply with the procedure and the status. */
export function explainError(error: unknown): string {
  if (!(error instanceof TRPCClientError)) return describeError(error);
  const { data, message, cause }: TRPCClientError<AppRouter> = error;
  if (data) return `${data.path} answered ${data.httpStatus} ${data.code}: ${message}`;
  return `no answer of the API: ${cause?.cause ?? message}`;
}
