import { AppError } from '../errors';

/**
 * Maximum time of a query, then it fails with 503. Healthy stores answer in milliseconds. A frozen store would delay a page
 * by the connection timeout plus the statement timeout.
 */
export const QUERY_BUDGET_MS = 2_200;

/** Maximum time of a mutation, enough to wait for a payment provider. docs/decisions/020 describes late mutations. */
export const MUTATION_BUDGET_MS = 2_800;

export interface BudgetOptions {
  /** Maximum time of the answer, in ms. Default: `QUERY_BUDGET_MS`. */
  budgetMs?: number;
  /** The error message after that time. */
  message?: string;
}

/** Resolves to the answer, or rejects with SERVICE_UNAVAILABLE after the budget. A later result is ignored. */
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
