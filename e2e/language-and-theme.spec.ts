import { expect, test } from './fixtures';

test('the other language is one click away, and is remembered', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('link', { name: '中文' }).click();
  await expect(page.getByRole('heading', { name: '限时抢购' })).toBeVisible();
  await expect(
    page
      .getByRole('main')
      .getByRole('button', { name: /^立即抢/ })
      .first(),
  ).toBeVisible();

  await page.getByRole('link', { name: '商家', exact: true }).first().click();
  await expect(page.getByRole('heading', { name: '商家', exact: true })).toBeVisible();
  await page.goto('/wallet');
  await expect(page.getByRole('heading', { name: '登录后查看卡包' })).toBeVisible();
});

test('a chosen theme holds on the next page, from its first byte', async ({ page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Theme: as the system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible();

  const answer = await page.goto('/merchants');
  expect(await answer?.text()).toContain('data-theme="dark"');
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible();
});
