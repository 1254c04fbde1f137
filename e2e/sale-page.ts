import { expect, type Locator, type Page } from '@playwright/test';

/** The sale as a visitor finds their way about it: by roles and labels. */
export function salePage(page: Page) {
  const gate = page.getByRole('region', { name: 'Featured coupon' });
  const meter = (group: string, whose: string): Locator =>
    page.getByRole('region', { name: group }).getByRole('meter', { name: whose });
  const everyone = meter('Grabbing', 'Everyone');

  return {
    gate,
    grab: gate.getByRole('button').first(),
    everyone,
    own: (group: 'Grabbing' | 'Claiming') => meter(group, 'You'),
    coupon: (title: string | RegExp) => page.getByRole('article', { name: title }),

    /** Opens the sale. A crowd of an earlier story may be in everyone's window: this waits until half of it has left. */
    async open(): Promise<void> {
      await page.goto('/');
      await expect(everyone).toHaveAttribute('aria-valuenow', /^[1-4]?\d$/, { timeout: 15_000 });
    },

    /** Opens the sale once the calls of earlier stories have left everyone's window, for stories that count it. */
    async openEmpty(): Promise<void> {
      await page.goto('/');
      await expect(everyone).toHaveAttribute('aria-valuenow', '0', { timeout: 15_000 });
    },
  };
}

/** Presses a button as soon as it is open, and waits for what the procedure answers. */
export async function press(button: Locator, procedure: string): Promise<void> {
  const answer = button
    .page()
    .waitForResponse((response) => response.url().includes(`/api/trpc/${procedure}`));
  await button.click();
  await answer;
}
