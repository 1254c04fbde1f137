import { expect, type Locator, type Page, type PlaywrightWorkerArgs } from '@playwright/test';
import { signInOperator } from './ops-page';

/** The label of a result whose settings have changed. */
export const EARLIER = 'Result of an earlier run';

/** Locates parts of the lab's first section. */
export function labPage(page: Page) {
  const start = page.getByRole('button', { name: 'Run', exact: true });
  return {
    start,
    lane: (algorithm: string): Locator =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: algorithm }) }),
    async open(query = ''): Promise<void> {
      await page.goto(`/lab${query}`);
      // The lanes are drawn after hydration, so the form reacts by then.
      const line = page.getByRole('listitem').locator('svg[class*="drawing"] > path:first-child').last();
      await expect(line).toHaveAttribute('d', /h[1-9]/);
    },
    /** Runs the scenario until its tables appear: a page that opens sends a run of its own, which has none. */
    run: () =>
      expect(async () => {
        await answerTo(page, 'lab.run', () => start.click());
        await expect(page.getByRole('button', { name: 'Download decisions (CSV)' })).toBeVisible({
          timeout: 3_000,
        });
      }).toPass(),
  };
}

/** Repeats an action until it gets a response, because a new button may not be hydrated yet. */
export async function answerTo(page: Page, procedure: string, act: () => Promise<void>): Promise<void> {
  await expect(async () => {
    const answer = page.waitForResponse((response) => response.url().includes(procedure));
    // A press without effect has sent nothing after a moment.
    const sent = page.waitForRequest((request) => request.url().includes(procedure), { timeout: 3_000 });
    const [response] = await Promise.all([answer, sent, act()]);
    expect(response.ok()).toBe(true);
  }).toPass();
}

/** Opens a mistake on the lab's page, and returns its region. */
export async function openMistake(page: Page, title: string | RegExp): Promise<Locator> {
  const card = page.getByRole('region', { name: title });
  let isPressed = false;
  // The first click may be before the page is interactive. One of the cards is open before.
  await expect(async () => {
    if (!(await card.isVisible())) {
      await page.getByRole('main').getByRole('button', { name: title }).click();
      isPressed = true;
    }
    if (isPressed) await expect(card.getByRole('heading', { level: 3 })).toBeFocused({ timeout: 3_000 });
  }).toPass();
  return card;
}

/** Sets the limit of ten experiments a minute on a private server; undefined resets it. */
export async function setLabLimit(
  { playwright, url }: Pick<PlaywrightWorkerArgs, 'playwright'> & { url: string },
  limit: number | undefined,
): Promise<void> {
  const operator = await playwright.request.newContext({ baseURL: url });
  expect((await signInOperator(operator)).ok()).toBe(true);
  const level = { policy: 'lab', level: 'ip' };
  const answer =
    limit === undefined
      ? await operator.post('/api/trpc/limit.reset', { data: level })
      : await operator.post('/api/trpc/limit.update', {
          data: { ...level, limit, why: 'tests of one visitor' },
        });
  expect(answer.ok(), await answer.text()).toBe(true);
  await operator.dispose();
}
