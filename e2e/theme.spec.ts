import { expect, test } from './fixtures';

test('a chosen theme holds on the next page, from its first byte', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible();

  const answer = await page.goto('/merchants');
  expect(await answer?.text()).toContain('data-theme="dark"');
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible();
});
