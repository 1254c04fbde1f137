import { AppError } from '../errors';
import { withTimeout } from '../timers';

/**
 * Maximum time of a query, then it fails with 503. Healthy stores answer in milliseconds. A frozen store would delay a page
 * by the connection timeout plus the statement timeout.
 */
export const QUERY_BUDGET_MS = 2_200;

/** Maximum time of a mutation, enough to wait for a payment provider. docs/decisions/020 describes late mutations. */
export const MUTATION_BUDGET_MS = 2_800;

/** Resolves to the answer, or rejects with SERVICE_UNAVAILABLE after the budget. A later result is ignored. */
export function withinBudget<Answer>(
  answer: Promise<Answer>,
  {
    budgetMs = QUERY_BUDGET_MS,
    message = 'The store did not answer in time.',
  }: { budgetMs?: number; message?: string } = {},
): Promise<Answer> {
  return withTimeout(answer, budgetMs, () => {
    throw new AppError('SERVICE_UNAVAILABLE', message);
  });
}

/**
 * Maximum time that a request waits for Redis, in the limiter and in its procedure together. Calls are answered
 * within 300 ms; the remaining 40 ms are for all other work.
 */
export const STORE_BUDGET_MS = 260;

/** The limiter's share. If a call is admitted without Redis, its procedure has the remaining 60 ms. */
export const DECISION_TIMEOUT_MS = 200;

/** Minimum wait for the store, also on a busy node. */
const MIN_TIMEOUT_MS = 30;

/** Returns the time left until a `performance.now()` instant, in ms, at least `MIN_TIMEOUT_MS`. */
export function timeLeftMs(deadline: number): number {
  return Math.max(MIN_TIMEOUT_MS, deadline - performance.now());
}
