import { expect, test } from './fixtures';
import { opsPage } from './ops-page';
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
  await expect(page.getByText(/^50 shoppers: \d+ got it, 0 refused(, \d+ too late)?\.$/)).toBeVisible({
    timeout: 20_000,
  });

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

test('a coupon can be claimed by keyboard', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  const coffee = sale.coupon('Filter coffee before ten');
  await tabTo(page, coffee.getByRole('button'));
  await page.keyboard.press('Enter');
  await expect(coffee.getByRole('link', { name: /^In your wallet/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Wallet' })).toBeVisible();
  await expect(page.getByRole('listitem').getByRole('code')).toBeVisible();
});

test('a merchant can be searched and opened by keyboard', async ({ page }) => {
  await page.goto('/merchants');
  await tabTo(page, page.getByRole('searchbox', { name: 'Search merchants' }));
  await page.keyboard.type('noodle');
  await expect(page.getByRole('status').filter({ hasText: '1 merchant' })).toBeVisible();
  await tabTo(page, page.getByRole('link', { name: /^Long Bench Noodle House/ }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Long Bench Noodle House' })).toBeVisible();
  await expect(page.locator('main:focus, main :focus'), 'the next page has the focus').toBeVisible();
});

test('an experiment can be chosen, run and read by keyboard', async ({ page }) => {
  await page.goto('/lab');
  const traffic = page.getByRole('group', { name: 'Traffic' });
  await tabTo(page, traffic.getByRole('radio', { checked: true }));
  await page.keyboard.press('ArrowRight');
  await expect(traffic.getByRole('radio', { name: 'Steady' })).toBeChecked();
  await expect(page, 'the page reacts').toHaveURL(/traffic=steady/);
  const run = page.getByRole('button', { name: 'Run', exact: true });
  await tabTo(page, run);
  await page.keyboard.press('Enter');
  const chart = page.getByRole('slider', { name: /window/i }).and(page.locator('[aria-valuenow]'));
  await expect(chart).toBeVisible({ timeout: 20_000 });
  await expect(run, 'the button keeps the focus').toBeFocused();
  await tabTo(page, chart);
  await page.keyboard.press('Home');
  await expect(chart).toHaveAttribute('aria-valuenow', '0');
});

test('an operator changes a limit and undoes it by keyboard', async ({ page }) => {
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const row = ops.level('merchant', 'Each IP address');
  await tabTo(page, row.getByRole('button', { name: /^Change/ }));
  await page.keyboard.press('Enter');
  await expect(ops.limitDialog.getByLabel('Limit (calls)')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('7');
  const apply = ops.limitDialog.getByRole('button', { name: 'Apply' });
  await expect(apply).toHaveAttribute('aria-disabled', 'true');
  await expect(apply).not.toHaveAttribute('aria-disabled', { timeout: 20_000 });
  await page.keyboard.press('Enter');
  await expect(row).toContainText('7 per second');
  await expect(row.getByRole('button', { name: /^Change/ })).toBeFocused();
  await tabTo(page, page.getByRole('button', { name: /^Undo/ }));
  await page.keyboard.press('Enter');
  await expect(row).toContainText('5 per second');
  await expect(page.getByRole('button', { name: 'Close' }), 'the focus stays in the note').toBeFocused();
});
