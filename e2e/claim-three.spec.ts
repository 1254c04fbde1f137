import { expect, test } from './fixtures';
import { findLiveCoupon } from './live-coupon';
import { press, salePage, signInShopper } from './sale-page';

test.use({ expectedStatuses: [429] });

test('three claims in a minute are admitted, then each claim waits without a refusal', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await expect(
    page.getByRole('region', { name: 'Claim any time' }).getByText('Each shopper can claim 3 per minute.'),
  ).toBeVisible();
  const popcorn = sale.coupon('Large popcorn with any ticket');
  const coffee = sale.coupon('Filter coffee before ten');
  await expect(coffee.getByText('€4.20 off')).toBeVisible();
  await expect(coffee, 'one price').not.toContainText('Free');

  for (const count of ['1', '2', '3']) {
    await press(popcorn.getByRole('button'), 'coupon.claim');
    await expect(sale.own('Claiming')).toHaveAttribute('aria-valuenow', count);
  }
  await expect(popcorn).toContainText('It’s yours.');

  // A press would count as a violation, so the button is closed before it.
  await expect(coffee.getByRole('button')).toHaveText(/^Retry in \d+\ss$/);
  await expect(coffee.getByRole('button')).toHaveAttribute('aria-disabled', 'true');
  await expect(coffee.getByRole('button')).toHaveAccessibleDescription(/3 \/ 3/);
  await page.reload();
  await expect(coffee.getByRole('button'), 'also after a reload').toHaveText(/^Retry in \d+\ss$/);

  await page.getByRole('link', { name: 'Wallet' }).first().click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Large popcorn with any ticket' })).toHaveCount(
    3,
  );
});

test('a fourth claim of a page that has not read the window is refused', async ({ page }) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.open();
  const couponId = await findLiveCoupon(page.request, 'claim');
  for (let claim = 0; claim < 3; claim += 1) {
    await page.request.post('/api/trpc/coupon.claim', { data: { couponId } });
  }
  const coffee = sale.coupon('Filter coffee before ten');
  await press(coffee.getByRole('button'), 'coupon.claim');
  await expect(coffee).toContainText('Too fast: 3 tries per minute');
  await expect(coffee).toContainText('You’re claiming coupons too fast.');
  await expect(coffee.getByRole('button')).toHaveText(/^Retry in \d+\ss$/);
});
