import { EventEmitter, once } from 'node:events';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { openMistake } from './open-mistake';
import { salePage } from './sale-page';

/** Each control below vanishes when it is pressed. */
test.describe('where a control vanishes, the focus has a next place', () => {
  test('after the language changes: the same control, and the address keeps no fragment', async ({
    page,
  }) => {
    await page.goto('/merchants');
    await pressEnter(page, page.getByRole('link', { name: '中文' }));
    await expect(page.getByRole('link', { name: 'English' })).toBeFocused();
    await expect(page).toHaveURL('/merchants?lang=zh');
  });

  test('after signing in: the title of the next page', async ({ page }) => {
    await page.goto('/sign-in');
    await pressEnter(page, page.getByRole('button', { name: 'Sign in as Bram' }));
    await expect(page.getByRole('heading', { level: 1, name: 'Flash sale' })).toBeFocused();
  });

  test('after signing out: the link to sign in', async ({ page }) => {
    await page.request.post('/api/trpc/auth.signInDemo', { data: {} });
    const orders = page.waitForResponse((response) => response.url().includes('/api/trpc/order.list'));
    await page.goto('/merchants');
    // The header's count of the wallet must not be read after the sign-out.
    await orders;
    await pressEnter(page, page.getByRole('button', { name: /^Signed in as/ }));
    await pressEnter(page, page.getByRole('button', { name: 'Sign out' }));
    await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeFocused();
  });

  test('after an empty search is cleared: the first result', async ({ page }) => {
    await page.goto('/merchants');
    await expect(page.getByRole('main').getByRole('listitem').first()).toBeVisible();
    await page.getByRole('searchbox').fill('no such place');
    await pressEnter(page, page.getByRole('button', { name: 'Show all' }));
    await expect(page.getByRole('main').getByRole('listitem').getByRole('link').first()).toBeFocused();
  });

  test('while the code that keeps the focus is still loading: as later', async ({ page }) => {
    const html = await (await page.request.get('/merchants')).text();
    const code = new EventEmitter();
    const released = once(code, 'release');
    await page.goto('/merchants');
    await expect(page.getByRole('listitem').first()).toBeVisible();
    await page.route('**/_next/static/chunks/*.js', async (route) => {
      if (!html.includes(new URL(route.request().url()).pathname)) await released;
      await route.continue();
    });
    await page.getByRole('searchbox').fill('no such place');
    const showAll = page.getByRole('button', { name: 'Show all' });
    await pressEnter(page, showAll);
    await expect(showAll).toBeHidden();
    code.emit('release');
    await expect(page.getByRole('main').getByRole('listitem').getByRole('link').first()).toBeFocused();
  });

  test('after an order is cancelled: its title', async ({ page }) => {
    const order = await openHeldOrder(page);
    await pressEnter(page, order.getByRole('button', { name: 'Cancel order' }));
    await order.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).press('Enter');
    await expect(order.getByRole('status').first()).toHaveText('Cancelled');
    await expect(order.getByRole('heading', { level: 3 })).toBeFocused();
  });
});

test('a second Enter on "Cancel order" keeps the order, and Escape returns to the button', async ({
  page,
}) => {
  const order = await openHeldOrder(page);
  const cancel = order.getByRole('button', { name: 'Cancel order' });
  const keep = order.getByRole('button', { name: 'Keep it' });
  await pressEnter(page, cancel);
  await expect(keep).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(keep).toBeHidden();
  await expect(cancel).toBeFocused();
  await pressEnter(page, cancel);
  await expect(keep).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(keep).toBeHidden();
  await expect(cancel).toBeFocused();
  await expect(order.getByRole('status').first()).toHaveText('Payment due');
});

test('Escape closes an expanded text, then the dock around it', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await sale.openDock();
  const details = sale.dock.getByRole('group').filter({ hasText: 'The exact rule' });
  const summary = details.getByText('The exact rule');
  await pressEnter(page, summary);
  await expect(details).toHaveAttribute('open');
  await page.keyboard.press('Escape');
  await expect(details).not.toHaveAttribute('open');
  await expect(sale.dock, 'one key closes one thing').toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sale.dock).toBeHidden();
  await expect(sale.opener).toBeFocused();
});

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

/** Buys a coupon with a price and opens the wallet. Returns its order, which is to be paid. */
async function openHeldOrder(page: Page): Promise<Locator> {
  const sale = salePage(page);
  await sale.open();
  await sale.grab.click();
  await expect(sale.gate).toContainText('Held, pay within');
  await page.goto('/wallet');
  return page.getByRole('listitem').first();
}

async function pressEnter(page: Page, control: Locator): Promise<void> {
  await control.focus();
  await page.keyboard.press('Enter');
}
