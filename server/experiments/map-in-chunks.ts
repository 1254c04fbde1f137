/** Concurrent items: enough to use a round trip fully, few enough not to block the event loop. */
const CHUNK_SIZE = 100;

export interface InChunksOptions {
  /** Stops the work before the next chunk. */
  signal: AbortSignal;
  /** Receives the number of finished items after each chunk. */
  onDone?: (done: number) => void | Promise<void>;
}

/**
 * Maps items in order, in concurrent chunks that yield the event loop in between. Rejects with the reason of an aborted
 * signal.
 */
export async function mapInChunks<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
  { signal, onDone }: InChunksOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < items.length) {
    signal.throwIfAborted();
    const from = results.length;
    const chunk = items.slice(from, from + CHUNK_SIZE);
    results.push(...(await settleAll(chunk.map((item, index) => work(item, from + index)))));
    await onDone?.(results.length);
  }
  return results;
}

/** Like `Promise.all`, but rejects only after every promise has settled. */
export async function settleAll<Result>(promises: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
