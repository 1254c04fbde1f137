import { findRefusal } from '../orders/refusal';
import type { OutboxEntry } from './outbox-entry';
import type { WrittenBatch } from './write-batch';

/** What became of some of the entries: they were settled together, or one of them cannot be written. */
export type WriteOutcome = WrittenBatch | { unwritable: OutboxEntry; why: string };

/**
 * Writes whatever can be written, in as few transactions as it takes to find what cannot: a batch that is refused for
 * what is in it is halved until the entry stands alone. Throws where Postgres could not be asked.
 */
export async function* writeEntries(
  entries: readonly OutboxEntry[],
  write: (batch: readonly OutboxEntry[]) => Promise<WrittenBatch>,
): AsyncGenerator<WriteOutcome> {
  const [first] = entries;
  if (!first) return;
  const outcome = await write(entries).catch((error: unknown) => {
    const why = findRefusal(error);
    if (why === undefined) throw error;
    return { unwritable: first, why };
  });
  if (entries.length === 1 || 'settled' in outcome) {
    yield outcome;
    return;
  }
  const half = Math.ceil(entries.length / 2);
  yield* writeEntries(entries.slice(0, half), write);
  yield* writeEntries(entries.slice(half), write);
}
