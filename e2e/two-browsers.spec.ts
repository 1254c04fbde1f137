import { expect, test } from './fixtures';
import { press, salePage } from './sale-page';

test.use({ expectedStatuses: [429] });

test("a crowd sent in one browser fills everyone's window in the other", async ({ page, otherPage }) => {
  const here = salePage(page);
  const there = salePage(otherPage);
  await here.openEmpty();
  await there.openEmpty();

  await here.openDock();
  // Its stock outlasts the crowd, so that the limit refuses.
  await here.dock
    .getByRole('combobox', { name: 'Coupon' })
    .selectOption({ label: 'Bean of the week, 250 g, freshly roasted' });
  await page.getByRole('radio', { name: '300' }).check();
  await page.getByRole('radio', { name: 'at once' }).check();
  await page.getByRole('button', { name: 'Send the crowd' }).click();

  await expect(there.everyone).toHaveAttribute('aria-valuenow', '100');
  await press(there.grab, 'coupon.seckill');
  await expect(there.gate).toContainText('Very busy, not your fault');
  await expect(there.grab).toHaveText('Join the queue');
  await expect(there.own('Grabbing'), 'a refused call charges nothing').toHaveAttribute('aria-valuenow', '0');

  await expect(here.everyone).toHaveAttribute('aria-valuenow', '100');
  await expect(page.getByText(/^300 shoppers: \d+ got it, \d+ refused/)).toBeVisible();

  await expect(there.grab).toHaveText('Grab', { timeout: 12_000 });
  await press(there.grab, 'coupon.seckill');
  await expect(there.gate).toContainText('Held, pay within');
});
