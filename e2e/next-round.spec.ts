import { expect } from './fixtures';
import { test } from './own-floodgate';
import { openWith, salePage } from './sale-page';

test('a sold-out sale shows it, and its next round opens under the same button, without a reload', async ({
  page,
  otherPage,
  floodgate,
}) => {
  const title = 'The last table by the window';
  await floodgate.addSale(title, { opensInMs: 0, stock: 1 });
  await openWith(salePage(page).coupon(title));
  const table = salePage(page).gate;
  await expect(table.getByRole('heading'), 'the scarcest coupon is featured').toHaveText(title);
  const button = salePage(page).grab;
  const couponIds: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('coupon.seckill')) couponIds.push(String(request.postDataJSON().couponId));
  });

  await salePage(page).openDock();
  await button.click();
  await expect(table).toContainText('Held, pay within');
  await expect(salePage(page).next, 'the shopper who has it may still pay').toBeFocused();
  await expect(table).toContainText('0 of 1 left');
  await expect(table.getByText('Sold out'), 'not for the shopper who has it').toHaveCount(0);
  const elsewhere = salePage(otherPage).coupon(title).getByRole('button').first();
  await otherPage.goto('/');
  await expect(elsewhere).toHaveText('Sold out');
  await expect(elsewhere).toHaveAttribute('aria-disabled', 'true');
  await expect(salePage(page).dock).toContainText(/Next round in \d+\ss/);

  await floodgate.endPause(title);
  await expect(button).toHaveText('Grab', { timeout: 20_000 });
  await expect(button, 'the button keeps the focus').toBeFocused();
  await expect(table.getByRole('status').filter({ hasText: 'One coupon per shopper.' })).toBeVisible();
  await expect(table).toContainText('1 of 1 left');

  await page.keyboard.press('Enter');
  await expect(table).toContainText('Held, pay within');
  expect(new Set(couponIds).size, 'two rounds are two coupons').toBe(2);
  await expect(table).toContainText('0 of 1 left');
  await floodgate.endSale(title);
  await expect(table.getByText('Ended'), 'the shopper who has it may still pay').toHaveCount(0);
  await expect(salePage(page).next).toHaveText('Pay €5');
  await page.reload();
  await expect(
    salePage(page).gate.getByRole('article', { name: title }),
    'the coupon to pay is featured',
  ).toBeVisible();
});

test('a click without a response on a coupon that has sold out offers no retry', async ({
  page,
  otherPage,
  floodgate,
}) => {
  const title = 'The last loaf';
  await floodgate.addSale(title, { opensInMs: 0, stock: 1 });
  const loaf = salePage(page).coupon(title);
  await openWith(loaf);
  await page.route('**/api/trpc/coupon.seckill*', (route) => route.fulfill({ status: 200, body: '' }));
  await loaf.getByRole('button', { name: /^Grab/ }).click();
  await expect(loaf).toContainText('No response. Check your connection and try again.');

  await otherPage.goto('/');
  await salePage(otherPage).coupon(title).getByRole('button', { name: /^Grab/ }).click();
  await expect(loaf).toContainText('No response. Your wallet shows whether you got one.');
  await floodgate.endSale(title);
});
