import { eq } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { CallAccess } from '../db/client';
import { merchants } from '../db/schema';
import { isUnavailable } from '../db/unavailable';
import { idInput } from '../trpc/inputs';

/** Maximum age of an answer. A new merchant's page is a 404 for this time at most. */
const FRESH_FOR_MS = 10_000;
const MAX_IDS = 1_000;

/** Returns true if a merchant has this id, and also while Postgres is down or its queue is full. */
export type MerchantExists = (id: string) => Promise<boolean>;

/**
 * Creates the check for the status of a merchant's page. It has no limit, so it returns nothing but existence, and an id
 * costs at most one query in 10 s.
 */
export function createMerchantCheck({
  calls: { readDb, runRead },
}: {
  calls: Pick<CallAccess, 'readDb' | 'runRead'>;
}): MerchantExists {
  const answers = new LRUCache<string, Promise<boolean>>({ max: MAX_IDS, ttl: FRESH_FOR_MS });

  async function find(id: string): Promise<boolean> {
    const query = () => readDb.select({ id: merchants.id }).from(merchants).where(eq(merchants.id, id));
    return (await runRead(query)).length > 0;
  }

  return async function merchantExists(id) {
    if (!idInput.safeParse(id).success) return false;
    const known = answers.get(id);
    const answer = known ?? find(id);
    if (!known) answers.set(id, answer);
    try {
      return await answer;
    } catch (error) {
      if (answers.peek(id) === answer) answers.delete(id);
      if (!isUnavailable(error)) throw error;
      return true;
    }
  };
}
