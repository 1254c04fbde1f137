import pLimit from 'p-limit';

/** Runs one piece of database work of a caller. Rejects with `QueueFullError`. */
export type RunQueued = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The queue has no place, or the work has waited too long. The work was not started. */
export class QueueFullError extends Error {
  constructor() {
    super('too many calls wait for the database');
    this.name = 'QueueFullError';
  }
}

export interface CallQueueOptions {
  /** How many pieces of work run at once. */
  permits: number;
  /** How many others wait. At 1 ms a read, 100 wait for about 50 ms with two permits. Default: 100. */
  maxWaiting?: number;
  /** Work that has waited longer is dropped, because its caller has its answer by then. Default: 2000 ms. */
  maxWaitMs?: number;
}

/** Bounds what calls ask of the database, so that a flood of them takes no connection from the ledger. */
export function createCallQueue({
  permits,
  maxWaiting = 100,
  maxWaitMs = 2_000,
}: CallQueueOptions): RunQueued {
  const limit = pLimit(permits);
  return function runQueued(work) {
    if (limit.activeCount >= permits && limit.pendingCount >= maxWaiting)
      return Promise.reject(new QueueFullError());
    const latest = performance.now() + maxWaitMs;
    return limit(() => {
      if (performance.now() > latest) throw new QueueFullError();
      return work();
    });
  };
}

/**
 * Runs the work of each caller one after the other, and of different callers side by side: who sends many calls waits
 * for their own.
 */
export function createCallerQueues({
  maxWaiting,
}: Required<Pick<CallQueueOptions, 'maxWaiting'>>): <Result>(
  caller: string,
  work: () => Promise<Result>,
) => Promise<Result> {
  const queues = new Map<string, { runQueued: RunQueued; size: number }>();
  return async function runForCaller(caller, work) {
    const queue = queues.get(caller) ?? { runQueued: createCallQueue({ permits: 1, maxWaiting }), size: 0 };
    queues.set(caller, queue);
    queue.size += 1;
    try {
      return await queue.runQueued(work);
    } finally {
      queue.size -= 1;
      if (queue.size === 0) queues.delete(caller);
    }
  };
}
