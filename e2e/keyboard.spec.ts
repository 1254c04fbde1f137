import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { openMistake } from './lab-page';
import { opsPage } from './ops-page';
import { holdLateScripts, tabTo } from './page-checks';
import { salePage, signInShopper } from './sale-page';

/** A control that disappears when it is pressed passes the focus to another one. */

test('a coupon can be found, bought and read by keyboard, and Enter, Enter buys once', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  let calls = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/trpc/coupon.seckill')) calls += 1;
  });

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

  await pressUntilWallet(page);
  expect(calls).toBe(1);
  await tabTo(page, page.getByRole('listitem').getByRole('button', { name: /^Pay €/ }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listitem').getByRole('code')).toBeVisible();
});

test('a coupon can be claimed by keyboard', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  const coffee = sale.coupon('Filter coffee before ten');
  await tabTo(page, coffee.getByRole('button'));
  await page.keyboard.press('Enter');
  await expect(coffee.getByRole('link', { name: /^In your wallet/ })).toBeFocused();
  await pressUntilWallet(page);
  await expect(page.getByRole('listitem').getByRole('code')).toBeVisible();
});

test('an order is cancelled by a second, other press, and the focus is on its title', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await sale.grab.click();
  await expect(sale.gate).toContainText('Held, pay within');
  await page.goto('/wallet');
  const order = page.getByRole('listitem').first();
  const cancel = order.getByRole('button', { name: 'Cancel order' });
  const keep = order.getByRole('button', { name: 'Keep it' });
  for (const key of ['Enter', 'Escape']) {
    await pressEnter(page, cancel);
    await expect(keep).toBeFocused();
    await page.keyboard.press(key);
    await expect(keep).toBeHidden();
    await expect(cancel).toBeFocused();
  }
  await expect(order.getByRole('status').first()).toHaveText('Payment due');
  await pressEnter(page, cancel);
  await order.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).press('Enter');
  await expect(order.getByRole('status').first()).toHaveText('Cancelled');
  await expect(order.getByRole('heading', { level: 3 })).toBeFocused();
  await expect(page.getByRole('link', { name: 'Wallet', exact: true }), 'it is not counted').toBeVisible();
});

test('a crowd can be chosen and sent with arrow keys and space', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await tabTo(page, sale.opener);
  await page.keyboard.press('Enter');
  await expect(sale.dock.getByRole('heading', { name: 'Send a crowd' })).toBeFocused();
  const sizes = page.getByRole('group', { name: 'Shoppers' });
  await tabTo(page, sizes.getByRole('radio', { checked: true }));
  while (!(await sizes.getByRole('radio', { name: '50', exact: true }).isChecked())) {
    await page.keyboard.press('ArrowLeft');
  }
  await tabTo(page, page.getByRole('button', { name: /^Send \d+ shoppers$/ }), 'Shift+Tab');
  await page.keyboard.press('Space');
  await expect(page.getByText(/^50 shoppers: \d+ got it, 0 refused(, \d+ too late)?\.$/)).toBeVisible();

  await page.keyboard.press('Escape');
  await expect(sale.dock).toBeHidden();
  await expect(sale.opener, 'closing returns the focus').toBeFocused();
});

test('the account menu opens, switches the user, signs out, and returns the focus', async ({ page }) => {
  await page.goto('/sign-in');
  await tabTo(page, page.getByRole('button', { name: 'Sign in as Bram' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Flash sale' })).toBeFocused();

  const menu = page.getByRole('button', { name: 'Signed in as Bram' });
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

test('after signing out, the focus is on the link to sign in', async ({ page }) => {
  await signInShopper(page);
  const orders = page.waitForResponse((response) => response.url().includes('/api/trpc/order.list'));
  await page.goto('/merchants');
  // The header's count of the wallet must not be read after the sign-out.
  await orders;
  await pressEnter(page, page.getByRole('button', { name: /^Signed in as/ }));
  await pressEnter(page, page.getByRole('button', { name: 'Sign out' }));
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeFocused();
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

for (const code of ['loaded', 'loading']) {
  test(`after an empty search is cleared, the first result has the focus, while the code that keeps it is ${code}`, async ({
    page,
  }) => {
    await page.goto('/merchants');
    const results = page.getByRole('main').getByRole('listitem');
    await expect(results.first()).toBeVisible();
    const release = code === 'loading' ? await holdLateScripts(page, '/merchants') : undefined;
    await page.getByRole('searchbox').fill('no such place');
    const showAll = page.getByRole('button', { name: 'Show all' });
    await pressEnter(page, showAll);
    await expect(showAll).toBeHidden();
    release?.();
    await expect(results.getByRole('link').first()).toBeFocused();
  });
}

test('Escape closes a part of the lab and returns to its summary', async ({ page }) => {
  await page.goto('/lab?section=mistakes');
  const card = await openMistake(page, 'A race between four commands');
  await card.getByRole('button', { name: 'Run', exact: true }).click();
  const summary = card.locator('summary').first();
  await summary.click();
  const content = card.locator('pre').first();
  await content.focus();
  await page.keyboard.press('Escape');
  await expect(content).toBeHidden();
  await expect(summary).toBeFocused();
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
  await expect(apply).not.toHaveAttribute('aria-disabled');
  await page.keyboard.press('Enter');
  await expect(row).toContainText('7 per second');
  await expect(row.getByRole('button', { name: /^Change/ })).toBeFocused();
  await tabTo(page, page.getByRole('button', { name: /^Undo/ }));
  await page.keyboard.press('Enter');
  await expect(row).toContainText('5 per second');
  await expect(page.getByRole('button', { name: 'Close' }), 'the focus stays in the note').toBeFocused();
});

async function pressEnter(page: Page, control: Locator): Promise<void> {
  await control.focus();
  await page.keyboard.press('Enter');
}

/** Presses Enter on a new link to the wallet, which ignores presses at first: they may be meant for the button before it. */
async function pressUntilWallet(page: Page): Promise<void> {
  await expect(async () => {
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Wallet', level: 1 })).toBeVisible({ timeout: 2_000 });
  }).toPass();
}
