import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { QUERY_BUDGET_MS, withinBudget } from './within-budget';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('an answer that never comes is given up as unavailable when the budget is spent, not before', async () => {
  const outcome = vi.fn();
  void withinBudget(new Promise(() => undefined)).catch(outcome);
  await vi.advanceTimersByTimeAsync(QUERY_BUDGET_MS - 1);
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome).toHaveBeenCalledWith(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }));
});

test('an answer in time is passed on and leaves no timer behind', async () => {
  await expect(withinBudget(Promise.resolve('yes'))).resolves.toBe('yes');
  expect(vi.getTimerCount()).toBe(0);
});

test('a failure in time is passed on as it is', async () => {
  const failure = new Error('not found');
  await expect(withinBudget(Promise.reject(failure))).rejects.toBe(failure);
});

test('a failure that comes after the budget is not heard, and ends nothing', async () => {
  const outcome = vi.fn();
  const late = new Promise((_resolve, reject) => setTimeout(reject, 2 * QUERY_BUDGET_MS, new Error('late')));
  void withinBudget(late).catch(outcome);
  await vi.advanceTimersByTimeAsync(3 * QUERY_BUDGET_MS);
  expect(outcome).toHaveBeenCalledTimes(1);
});
