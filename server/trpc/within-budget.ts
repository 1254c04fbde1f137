import { AppError } from '../errors';

/**
 * A query is answered within this time, or fails with 503. Stores that answer do so in milliseconds; one that is frozen
 * would hold a page for as long as its connection and its statement may take, one after the other.
 */
export const QUERY_BUDGET_MS = 2_200;

/** The same for a mutation; long enough to wait for a payment provider. docs/decisions/020 says what a late one means. */
export const MUTATION_BUDGET_MS = 2_800;

export interface BudgetOptions {
  /** How long the answer may take, in ms. Default: `QUERY_BUDGET_MS`. */
  budgetMs?: number;
  /** What the caller is told then. */
  message?: string;
}

/** The answer, or SERVICE_UNAVAILABLE where it takes too long. What comes later is not heard. */
export async function withinBudget<Answer>(
  answer: Promise<Answer>,
  { budgetMs = QUERY_BUDGET_MS, message = 'The store did not answer in time.' }: BudgetOptions = {},
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AppError('SERVICE_UNAVAILABLE', message)), budgetMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
