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
  await expect(sale.gate).toContainText('Held, pay within');
  await expect(sale.next, 'the next step takes the focus').toBeFocused();

  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Wallet' })).toBeVisible();
  await tabTo(page, page.getByRole('listitem').getByRole('button', { name: 'Pay €9.90' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listitem').getByRole('code')).toBeVisible();
});

test('a crowd can be chosen and sent with arrow keys and space', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await tabTo(page, sale.opener);
  await page.keyboard.press('Enter');
  await expect(sale.dock.getByRole('heading', { name: 'Try the flood' })).toBeFocused();
  const sizes = page.getByRole('group', { name: 'Shoppers' });
  await tabTo(page, sizes.getByRole('radio', { checked: true }));
  while (!(await sizes.getByRole('radio', { name: '50', exact: true }).isChecked())) {
    await page.keyboard.press('ArrowLeft');
  }
  await tabTo(page, page.getByRole('button', { name: 'Send the crowd' }), 'Shift+Tab');
  await page.keyboard.press('Space');
  await expect(page.getByText(/^50 of 50 shoppers got through/)).toBeVisible({ timeout: 20_000 });

  await page.keyboard.press('Escape');
  await expect(sale.dock).toBeHidden();
  await expect(sale.opener, 'closing returns the focus').toBeFocused();
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
