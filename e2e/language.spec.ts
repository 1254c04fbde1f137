import { expect, test } from './fixtures';
import { press } from './sale-page';

test.use({ expectedStatuses: [429] });

test('the other language is one click away and is remembered', async ({ page }) => {
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

test('a link can set the language, which later pages keep', async ({ page }) => {
  const answer = await page.goto('/?lang=zh');
  expect(await answer?.text(), 'in the served HTML').toContain('<html lang="zh"');
  await page.goto('/merchants');
  await expect(page.getByRole('heading', { name: '商家', exact: true })).toBeVisible();
});

test.describe('a browser that prefers Chinese', () => {
  test.use({ locale: 'zh-CN' });

  test('shows refusals in Chinese', async ({ page }) => {
    await page.goto('/');
    const main = page.getByRole('main');
    const claims = main.getByRole('article').filter({ has: page.getByRole('button', { name: /^领取/ }) });
    const titles = await claims.getByRole('heading').allTextContents();
    for (const title of titles.slice(0, 4)) {
      await press(main.getByRole('article', { name: title }).getByRole('button'), 'coupon.claim');
    }
    await expect(main).toContainText('领得太快了');
  });
});
