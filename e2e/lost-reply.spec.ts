import { expect, test } from './fixtures';
import { salePage } from './sale-page';

test('a call with a lost reply is retried: one purchase, one charge', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  const requestIds: string[] = [];
  await page.route('**/api/trpc/coupon.seckill*', async (route) => {
    requestIds.push(String(route.request().postDataJSON().requestId));
    const reply = await route.fetch();
    if (requestIds.length === 1) await route.fulfill({ status: 200, body: '' });
    else await route.fulfill({ response: reply });
  });

  await sale.grab.click();

  await expect(sale.gate).toContainText(/Held, pay within|It’s yours/);
  await expect.poll(() => requestIds, 'the live feed may show the order before the retry').toHaveLength(2);
  expect(new Set(requestIds).size).toBe(1);
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1');
});
