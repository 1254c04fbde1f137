import { expect, test } from './fixtures';

test('the HTML of the next page has the chosen theme', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible();

  const answer = await page.goto('/merchants');
  expect(await answer?.text()).toContain('data-theme="dark"');
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible();
});
