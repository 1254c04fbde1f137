import { expect, test } from './fixtures';
import { findLiveCoupon } from './live-coupon';
import { press, signInShopper } from './sale-page';

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
    await signInShopper(page);
    await page.goto('/');
    const main = page.getByRole('main');
    // The page reads its window before the calls, so that its buttons stay open.
    const own = page.getByRole('region', { name: '领取' }).getByRole('meter', { name: '您的次数' });
    await expect(own).toHaveAttribute('aria-valuenow', '0');
    const couponId = await findLiveCoupon(page.request, 'claim');
    for (let claim = 0; claim < 3; claim += 1) {
      await page.request.post('/api/trpc/coupon.claim', { data: { couponId } });
    }
    await press(main.getByRole('button', { name: /^领取/ }).first(), 'coupon.claim');
    await expect(main).toContainText('领得太快了');
  });
});
