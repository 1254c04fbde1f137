import { expect, test } from './fixtures';
import { salePage } from './sale-page';
import { tabTo } from './tab-to';

test('a coupon can be found, bought and read by keyboard', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();

  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();

  await tabTo(page, sale.grab);
  await page.keyboard.press('Enter');
  await expect(sale.gate).toContainText('Confirmed. It’s yours.');
  await expect(sale.grab).toBeFocused();

  await tabTo(page, sale.gate.getByRole('link', { name: 'See it in your wallet' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Wallet' })).toBeVisible();
  await expect(page.getByRole('listitem').getByRole('code')).toBeVisible();
});

test('a crowd can be chosen and sent with arrow keys and space', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  const sizes = page.getByRole('group', { name: 'Shoppers' });
  await tabTo(page, sizes.getByRole('radio', { checked: true }));
  while (!(await sizes.getByRole('radio', { name: '50', exact: true }).isChecked())) {
    await page.keyboard.press('ArrowLeft');
  }
  await tabTo(page, page.getByRole('button', { name: 'Send the crowd' }));
  await page.keyboard.press('Space');
  await expect(page.getByText(/^50 of 50 shoppers admitted/)).toBeVisible({ timeout: 20_000 });
});

test('the account menu opens, switches the user, and returns the focus', async ({ page }) => {
  await page.goto('/sign-in');
  await tabTo(page, page.getByRole('button', { name: 'Sign in as Bram' }));
  await page.keyboard.press('Enter');
  const menu = page.getByRole('button', { name: 'Signed in as Bram' });
  await expect(page.getByRole('heading', { name: 'Flash sale' })).toBeVisible();

  await tabTo(page, menu);
  await page.keyboard.press('Enter');
  const other = page.getByRole('button', { name: /^Chen/ });
  await tabTo(page, other);
  await page.keyboard.press('Escape');
  await expect(other).toBeHidden();
  await expect(menu).toBeFocused();

  await page.keyboard.press('Enter');
  await tabTo(page, other);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: /^Signed in as Chen/ })).toBeVisible();
});
