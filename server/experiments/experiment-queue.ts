import pLimit from 'p-limit';
import { AppError } from '../errors';

/** Runs one experiment at a time: the node needs the rest of its CPU for the sale. */
export interface ExperimentQueue {
  /**
   * Runs the work when the only slot is free. The signal of the work aborts when the caller disconnects, when the work
   * takes too long, and when the queue closes. The work then has to reject, with any error.
   *
   * @throws AppError SERVICE_UNAVAILABLE if the queue is full, the work timed out, or the queue closes;
   * CLIENT_CLOSED_REQUEST if the caller disconnected.
   */
  add<Result>(
    caller: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>;
  /** Returns the number of works that run or wait. */
  ahead(): number;
  /** Aborts the running and the waiting work. Later work fails. */
  close(): Promise<void>;
}

export interface ExperimentQueueOptions {
  /** Maximum number of waiting experiments. Default: 10. */
  maxWaiting?: number;
  /** Maximum duration of one experiment, in ms. Default: 30,000. */
  timeoutMs?: number;
}

/** Runs experiments in order of arrival, in the memory of this node. */
export function createExperimentQueue({
  maxWaiting = 10,
  timeoutMs = 30_000,
}: ExperimentQueueOptions = {}): ExperimentQueue {
  const closing = new AbortController();
  const slot = pLimit(1);

  async function run<Result>(
    caller: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([closing.signal, timeout, ...(caller ? [caller] : [])]);
    try {
      signal.throwIfAborted();
      return await work(signal);
    } catch (cause) {
      if (caller?.aborted)
        throw new AppError('CLIENT_CLOSED_REQUEST', 'The client closed the request.', { cause });
      if (closing.signal.aborted)
        throw new AppError('SERVICE_UNAVAILABLE', 'The server is shutting down.', { cause });
      if (timeout.aborted)
        throw new AppError('SERVICE_UNAVAILABLE', 'The experiment took too long.', { cause });
      throw cause;
    }
  }

  const ahead = () => slot.activeCount + slot.pendingCount;

  return {
    ahead,
    async add(caller, work) {
      if (ahead() > maxWaiting) {
        throw new AppError('SERVICE_UNAVAILABLE', 'Too many experiments are waiting. Try again in a moment.');
      }
      return slot(() => run(caller, work));
    },

    async close() {
      closing.abort();
      await slot(() => undefined);
    },
  };
}
