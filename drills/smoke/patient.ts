import { setTimeout as sleep } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import { describeError, StepError } from '../../scripts/lib/steps.mjs';
import type { AppRouter } from '../../server/router';
import { explainError } from './steps';

const REPEAT_AFTER_MS = 500;
/** A proxy that bounds the calls of one address and a busy database answer sooner. */
const MAX_CALLS = 120;

/** Repeats a call that is refused (429) or that the instance cannot answer now (503), up to a minute. */
export async function callPatiently<Result>(
  call: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  for (let calls = 1; ; calls++) {
    signal?.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      if (calls === MAX_CALLS || !isTemporary(error)) throw error;
      await sleep(REPEAT_AFTER_MS);
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof TRPCClientError)) return false;
  const { data }: TRPCClientError<AppRouter> = error;
  return data?.code === 'TOO_MANY_REQUESTS' || data?.code === 'SERVICE_UNAVAILABLE';
}

/** Runs `work`, then `undo`, also after a failure. If both fail, the error contains both messages. */
export async function runAndUndo<Result>(
  work: () => Promise<Result>,
  { name, undo }: { name: string; undo: () => Promise<unknown> },
): Promise<Result> {
  const undoPatiently = () =>
    callPatiently(undo).catch((error: unknown) => {
      throw new StepError(`The step "${name}" failed: ${explainError(error)}`, { cause: error });
    });
  let result: Result;
  try {
    result = await work();
  } catch (error) {
    await undoPatiently().catch((second: unknown) => {
      throw new StepError([error, second].map(describeError).join('\n'), { cause: error });
    });
    throw error;
  }
  await undoPatiently();
  return result;
}
