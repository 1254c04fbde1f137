import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { QUERY_BUDGET_MS, withinBudget } from './deadline';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a call without an answer fails as unavailable at the end of the budget, not before', async () => {
  const outcome = vi.fn();
  void withinBudget(new Promise(() => undefined)).catch(outcome);
  await vi.advanceTimersByTimeAsync(QUERY_BUDGET_MS - 1);
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome).toHaveBeenCalledWith(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }));
});

test('an answer in time is returned and leaves no timer', async () => {
  await expect(withinBudget(Promise.resolve('yes'))).resolves.toBe('yes');
  expect(vi.getTimerCount()).toBe(0);
});

test('an error in time is rethrown', async () => {
  const failure = new Error('not found');
  await expect(withinBudget(Promise.reject(failure))).rejects.toBe(failure);
});

test('an error after the budget is ignored and does not end the process', async () => {
  const outcome = vi.fn();
  const late = new Promise((_resolve, reject) => setTimeout(reject, 2 * QUERY_BUDGET_MS, new Error('late')));
  void withinBudget(late).catch(outcome);
  await vi.advanceTimersByTimeAsync(3 * QUERY_BUDGET_MS);
  expect(outcome).toHaveBeenCalledTimes(1);
});
