import type { PlaywrightWorkerArgs } from '@playwright/test';
import { expect } from './fixtures';
import { signInOperator } from './ops-page';

/** Raises the limit of ten experiments a minute on a private server. */
export async function raiseLabLimit({
  playwright,
  url,
}: Pick<PlaywrightWorkerArgs, 'playwright'> & { url: string }): Promise<void> {
  const operator = await playwright.request.newContext({ baseURL: url });
  expect((await signInOperator(operator)).ok()).toBe(true);
  const answer = await operator.post('/api/trpc/limit.update', {
    data: { policy: 'lab', level: 'ip', limit: 1_000, why: 'tests of one visitor' },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  await operator.dispose();
}
