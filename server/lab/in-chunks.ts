/** So many decisions are under way at once: enough to fill the time of a round trip, few enough to leave the node its own. */
const CHUNK = 200;

export interface InChunksOptions {
  /** Aborted: no further chunk begins. */
  signal: AbortSignal;
  /** Hears after each chunk how many items are done. */
  onDone?: (done: number) => void | Promise<void>;
}

/**
 * Does the same with each item, in their order, some at once, and answers in their order. Between chunks everything
 * else of the process has its turn. Rejects with the signal's reason when that is aborted.
 */
export async function inChunks<Item, Result>(
  items: readonly Item[],
  work: (item: Item, place: number) => Promise<Result>,
  { signal, onDone }: InChunksOptions,
): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < items.length) {
    signal.throwIfAborted();
    const from = results.length;
    const chunk = items.slice(from, from + CHUNK);
    results.push(...(await allOf(chunk.map((item, place) => work(item, from + place)))));
    await onDone?.(results.length);
  }
  return results;
}

/** As `Promise.all`, but nothing is under way any more when it rejects. */
export async function allOf<Result>(works: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
