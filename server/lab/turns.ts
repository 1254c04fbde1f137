import { TRPCError } from '@trpc/server';
import { AppError } from '../errors';

/** Gives experiments their turns: one at a time, so that a node that serves a sale has time for it. */
export interface Turns {
  /**
   * Does the work when its turn has come. Its signal is aborted when the caller goes away, when it takes too long and
   * when the lab closes; the work ends itself then, with whatever error.
   *
   * @throws AppError SERVICE_UNAVAILABLE where too many wait, where it took too long, and where the lab closes.
   * @throws TRPCError CLIENT_CLOSED_REQUEST where the caller went away.
   */
  take<Result>(
    caller: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
  /** Ends what is under way, and lets nothing begin. */
  close(): Promise<void>;
}

export interface TurnsOptions {
  /** How many may wait. Default 10. */
  mostWaiting?: number;
  /** How long one may take, in ms. Default 30 000. */
  longestMs?: number;
}

export function createTurns({ mostWaiting = 10, longestMs = 30_000 }: TurnsOptions = {}): Turns {
  const closing = new AbortController();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function work<Result>(
    caller: AbortSignal | undefined,
    doIt: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const late = AbortSignal.timeout(longestMs);
    const signal = AbortSignal.any([closing.signal, late, ...(caller ? [caller] : [])]);
    try {
      signal.throwIfAborted();
      return await doIt(signal);
    } catch (cause) {
      if (caller?.aborted) {
        throw new TRPCError({ code: 'CLIENT_CLOSED_REQUEST', message: 'The caller went away.', cause });
      }
      if (closing.signal.aborted) throw new AppError('SERVICE_UNAVAILABLE', 'The lab closes.', { cause });
      if (late.aborted) throw new AppError('SERVICE_UNAVAILABLE', 'This took too long.', { cause });
      throw cause;
    }
  }

  return {
    take(caller, doIt) {
      if (waiting > mostWaiting) {
        return Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'The lab is busy. Try again in a moment.'));
      }
      waiting += 1;
      const result = last.then(() => work(caller, doIt));
      last = result.then(endTurn, endTurn);
      return result;
    },

    async close() {
      closing.abort();
      await last;
    },
  };

  function endTurn(): void {
    waiting -= 1;
  }
}
