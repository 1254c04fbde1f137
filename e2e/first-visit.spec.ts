import { expect, test } from './fixtures';
import { salePage } from './sale-page';

test('a new visitor has a confirmed coupon after one click, and sees it in the wallet after two', async ({
  page,
}) => {
  const sale = salePage(page);
  await sale.open();
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();

  await sale.grab.click();

  await expect(sale.gate).toContainText('Confirmed. It’s yours.');
  await expect(page.getByRole('button', { name: /^Signed in as/ })).toBeVisible();
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1');
  const title = (await sale.gate.getByRole('heading').textContent()) ?? '';
  const code = (await sale.gate.getByRole('code').textContent()) ?? '';

  await sale.gate.getByRole('link', { name: 'See it in your wallet' }).click();
  await expect(page.getByRole('heading', { name: 'Wallet' })).toBeVisible();
  const order = page.getByRole('listitem').filter({ hasText: title });
  await expect(order).toContainText('Confirmed');
  await expect(order.getByRole('code')).toHaveText(code);
});

test('a second click on the same coupon buys nothing and shows a message', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await sale.grab.click();
  await expect(sale.gate).toContainText('Confirmed. It’s yours.');
  const code = (await sale.gate.getByRole('code').textContent()) ?? '';

  await sale.grab.click();
  await expect(sale.gate).toContainText('You already have this one.');
  await expect(sale.gate.getByRole('code')).toHaveText(code);
});

test('an empty wallet leads to the sale', async ({ page }) => {
  await page.goto('/wallet');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign in as Bram' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Go to the sale' }).click();
  await expect(page.getByRole('heading', { name: 'Flash sale' })).toBeVisible();
});
