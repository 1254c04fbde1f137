import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from './fixtures';

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    for (const path of [
      '/',
      '/merchants',
      '/merchants/long-bench-noodles',
      '/wallet',
      '/sign-in',
      '/dev/mailbox',
    ]) {
      test(`${path} has nothing that axe objects to`, async ({ page }) => {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations).toEqual([]);
      });
    }
  });
}
