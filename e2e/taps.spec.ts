import { expect, test } from './fixtures';
import { salePage } from './sale-page';

test.use({ expectedStatuses: [429] });

test('twenty taps reach the shopper’s limit, and one sentence shows their outcome', async ({ page }) => {
  const sale = salePage(page);
  await sale.openEmpty();
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/api/trpc/coupon.seckill')) statuses.push(response.status());
  });

  await sale.openDock();
  await sale.dock.getByRole('button', { name: 'Tap 20×' }).click();

  await expect(sale.dock).toContainText(
    '20 taps: 5 got through (you got one), 15 refused by your limit of 5 per 10 s.',
  );
  await sale.dock.getByText('Why?').click();
  await expect(sale.dock).toContainText('You have 5 tries in any 10 s, and all of them are used up.');
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '5');
  // Only calls that were decided before the first purchase charge this window.
  await expect(sale.everyone).toHaveAttribute('aria-valuenow', /^[1-5]$/);
  await expect(sale.next, 'the coupon is bought').toHaveText('Pay €9.90');
  await expect(
    page.getByRole('button', { name: /^Retry in \d+\ss/ }),
    'the buttons of the other coupons show the wait, too',
  ).not.toHaveCount(0);
});
