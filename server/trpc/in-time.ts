import { AppError } from '../errors';

/**
 * A query is answered within this time, or fails with 503. Stores that answer do so in milliseconds; one that is frozen
 * would hold a page for as long as its connection and its statement may take, one after the other.
 */
export const QUERY_BUDGET_MS = 2_200;

/** The answer, or SERVICE_UNAVAILABLE where it takes too long. What comes later is not heard. */
export async function inTime<Answer>(answer: Promise<Answer>, budgetMs = QUERY_BUDGET_MS): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new AppError('SERVICE_UNAVAILABLE', 'The store did not answer in time.')),
      budgetMs,
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
