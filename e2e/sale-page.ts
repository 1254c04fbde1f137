import { expect, type Locator, type Page } from '@playwright/test';

/** Locates parts of the sale page by roles and labels. */
export function salePage(page: Page) {
  const gate = page.getByRole('region', { name: 'Featured coupon' });
  const meter = (group: string, whose: string): Locator =>
    page.getByRole('region', { name: group }).getByRole('meter', { name: whose });
  const everyone = meter('Grabbing', 'Everyone');
  const opener = page.getByRole('button', { name: 'Try the flood' });
  const dock = page.getByRole('dialog', { name: 'Try the flood' });

  return {
    gate,
    grab: gate.getByRole('button').first(),
    everyone,
    own: (group: 'Grabbing' | 'Claiming') => meter(group, 'You'),
    opener,
    dock,
    coupon: (title: string | RegExp) => page.getByRole('article', { name: title }),

    /** Opens the sale and waits until everyone's window has fewer than 50 hits, because an earlier test may have filled it. */
    async open(): Promise<void> {
      await page.goto('/');
      await expect(everyone).toHaveAttribute('aria-valuenow', /^[1-4]?\d$/, { timeout: 15_000 });
    },

    /** Opens the demo's dock. */
    async openDock(): Promise<void> {
      await opener.click();
      await expect(dock).toBeVisible();
    },

    /** Opens the sale and waits until everyone's window is empty, for tests that count its hits. */
    async openEmpty(): Promise<void> {
      await page.goto('/');
      await expect(everyone).toHaveAttribute('aria-valuenow', '0', { timeout: 15_000 });
    },
  };
}

/** Clicks a button when it is enabled, and waits for the answer of the procedure. */
export async function press(button: Locator, procedure: string): Promise<void> {
  const answer = button
    .page()
    .waitForResponse((response) => response.url().includes(`/api/trpc/${procedure}`));
  await button.click();
  await answer;
}
