import pLimit from 'p-limit';

/** Runs a caller's database work. Rejects with `QueueFullError`. */
export type RunQueued = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** The queue is full, or the work has waited too long. The work was not started. */
export class QueueFullError extends Error {
  constructor() {
    super('too many calls wait for the database');
    this.name = 'QueueFullError';
  }
}

export interface CallQueueOptions {
  /** Maximum number of tasks that run at once. */
  permits: number;
  /** Maximum number of waiting tasks. At 1 ms per read, 100 wait for about 50 ms with two permits. Default: 100. */
  maxWaiting?: number;
  /** Maximum wait, after which the caller has timed out and the work is dropped. Default: 2000 ms. */
  maxWaitMs?: number;
}

/** Creates a queue that limits the database work of calls, so that a flood leaves connections to the ledger. */
export function createCallQueue({
  permits,
  maxWaiting = 100,
  maxWaitMs = 2_000,
}: CallQueueOptions): RunQueued {
  const limit = pLimit(permits);
  return function runQueued(work) {
    if (limit.activeCount >= permits && limit.pendingCount >= maxWaiting)
      return Promise.reject(new QueueFullError());
    const deadline = performance.now() + maxWaitMs;
    return limit(() => {
      if (performance.now() > deadline) throw new QueueFullError();
      return work();
    });
  };
}

/**
 * Creates one queue per caller: tasks of one caller run one after the other, and those of different callers run in
 * parallel. A caller with many calls delays only its own calls.
 */
export function createCallerQueues({ maxWaiting }: Required<Pick<CallQueueOptions, 'maxWaiting'>>) {
  const queues = new Map<string, { runQueued: RunQueued; size: number }>();
  return async function runForCaller<Result>(caller: string, work: () => Promise<Result>): Promise<Result> {
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
