import { expect, test } from './fixtures';
import { callSeckill, findLiveCoupon, press, salePage, signInShopper } from './sale-page';

test.use({ expectedStatuses: [429] });

test('the other language is one click away, keeps the focus and the address, and is remembered', async ({
  page,
}) => {
  await salePage(page).open();
  await page.evaluate(() => window.scrollTo(0, 300));
  const link = await page.getByRole('link', { name: '中文' }).boundingBox();
  if (!link) throw new Error('The header is not in view.');
  // `click` of a locator would scroll to the place of the header first.
  await page.mouse.click(link.x + link.width / 2, link.y + link.height / 2);
  await expect(page.getByRole('heading', { name: '限时抢购' })).toBeVisible();
  await expect.poll(() => page.evaluate(() => window.scrollY), 'it keeps the scroll position').toBe(300);
  await expect(page.getByRole('link', { name: 'English' })).toBeFocused();
  await expect(page, 'without a fragment').toHaveURL('/?lang=zh');
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

test('a link can set the language, which the HTML of later pages has, as it has the chosen theme', async ({
  page,
}) => {
  const answer = await page.goto('/?lang=zh');
  expect(await answer?.text(), 'in the served HTML').toContain('<html lang="zh"');
  await page.goto('/merchants?lang=en');
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible();

  const next = await page.goto('/wallet');
  expect(await next?.text()).toContain('data-theme="dark"');
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible();
});

test.describe('a browser that prefers Chinese', () => {
  test.use({ locale: 'zh-CN' });

  test('shows refusals in Chinese', async ({ page }) => {
    await signInShopper(page);
    await page.goto('/');
    const main = page.getByRole('main');
    // The page reads its window before the calls, so that its buttons stay open.
    const own = page.getByRole('region', { name: '抢购' }).getByRole('meter', { name: '您的次数' });
    await expect(own).toHaveAttribute('aria-valuenow', '0');
    const couponId = await findLiveCoupon(page.request, 'claim');
    for (let claim = 0; claim < 3; claim += 1) {
      await page.request.post('/api/trpc/coupon.claim', { data: { couponId } });
    }
    await press(main.getByRole('button', { name: /^领取/ }).first(), 'coupon.claim');
    await expect(main).toContainText('领得太快了');

    await callSeckill(page, 'live', 5);
    await press(
      page.getByRole('region', { name: '主推优惠券' }).getByRole('button').first(),
      'coupon.seckill',
    );
    await expect(main).toContainText('太快了：每 10 秒限 5 次');
    await expect(main, 'of the own limit only').not.toContainText('人太多');
  });
});
