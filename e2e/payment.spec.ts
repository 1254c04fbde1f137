import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures';
import { test } from './own-floodgate';
import { openWith } from './sale-page';

/** Buys a coupon on the sale page, whether it is featured or listed. */
async function grab(page: Page, title: string): Promise<void> {
  const coupon = page.getByRole('article', { name: title });
  await openWith(coupon);
  await coupon.getByRole('button', { name: /Grab/ }).click();
  await expect(coupon).toContainText('Held, pay within');
}

const orderOf = (page: Page, title: string): Locator => page.getByRole('listitem').filter({ hasText: title });

test('a shopper pays one order, cancels another, and lets a third expire', async ({ page, floodgate }) => {
  const [keptTitle, cancelledTitle, lateTitle] = [
    'Dumplings at dawn',
    'A bench by the sea',
    'Soup for later',
  ];
  await floodgate.addSale(keptTitle, { opensInMs: 0 });
  await floodgate.addSale(cancelledTitle, { opensInMs: 0, stock: 7 });
  await floodgate.addSale(lateTitle, { opensInMs: 0, holdMs: 15_000 });
  for (const title of [keptTitle, cancelledTitle, lateTitle]) await grab(page, title);
  await page.goto('/wallet');

  const paid = orderOf(page, keptTitle);
  await expect(paid).toContainText(/1[45]:\d\d left to pay/);
  await expect(paid.getByRole('status').first()).toHaveText('Payment due');
  await expect(paid.getByRole('code'), 'an unpaid order has no code').toHaveCount(0);
  await expect(paid.getByRole('img', { name: /QR code/ })).toHaveCount(0);
  await paid.getByRole('button', { name: 'Pay €5' }).click();
  await expect(paid).toContainText('Your payment went through.');
  await expect(paid.getByRole('status').first()).toHaveText('Ready to use');
  await expect(paid.getByRole('code')).toBeVisible();
  await expect(paid.getByRole('img', { name: /QR code/ })).toBeVisible();
  await expect(paid.getByRole('button'), 'the only button enlarges the code').toHaveAccessibleName(
    /^QR code/,
  );

  const cancelled = orderOf(page, cancelledTitle);
  await cancelled.getByRole('button', { name: 'Cancel order' }).focus();
  await page.keyboard.press('Enter');
  await expect(
    cancelled.getByRole('button', { name: 'Keep it' }),
    'the first press requires a confirmation',
  ).toBeFocused();
  await cancelled.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).press('Enter');
  await expect(cancelled.getByRole('status').first()).toHaveText('Cancelled');
  await expect(cancelled.getByRole('code'), 'a cancelled order has no code').toHaveCount(0);
  await expect(cancelled.getByRole('link', { name: 'Grab it again' })).toHaveAttribute('href', /^\/#./);

  const expired = orderOf(page, lateTitle);
  await expect(expired.getByRole('status').first()).toHaveText('Expired');
  await expect(expired).toContainText('Not paid in time.');

  // The stock of a cancelled order is on sale again, also for the same shopper.
  await page.goto('/');
  await expect(page.getByRole('article', { name: cancelledTitle })).toContainText('7 of 7 left');
  await grab(page, cancelledTitle);
});

test('a hold that ends on the sale page says so, and Grab comes back by itself', async ({
  page,
  floodgate,
}) => {
  const title = 'A pear, briefly';
  await floodgate.addSale(title, { opensInMs: 0, holdMs: 5_000 });
  await grab(page, title);
  const coupon = page.getByRole('article', { name: title });
  await expect(coupon.getByRole('link', { name: /^Pay €5/ })).toBeFocused();
  await expect(coupon).toContainText(/View your wallet.*Your time to pay is up/);
  const button = coupon.getByRole('button', { name: /^Grab/ });
  await expect(button).toBeVisible();
  await expect(button, 'the button takes the focus back').toBeFocused();
});

test('the page shows the outcome of a card that declines, that does not answer, and that answers twice', async ({
  page,
  floodgate,
}) => {
  const titles = { declines: 'Noodles, cold', silent: 'Tea at noon', twice: 'Two warm buns' };
  for (const title of Object.values(titles)) await floodgate.addSale(title, { opensInMs: 0 });
  for (const title of Object.values(titles)) await grab(page, title);
  await page.goto('/wallet');

  const declined = orderOf(page, titles.declines);
  await declined.getByLabel('Demo card').selectOption('declines');
  await declined.getByRole('button', { name: 'Pay €5' }).click();
  await expect(declined).toContainText('Your card was declined and nothing was charged.');
  await page.reload();
  await expect(declined, 'the reason is stored').toContainText('Your card was declined');
  await page.route('**/api/trpc/order.pay*', async (route) => {
    await expect(declined, 'a new payment removes it').not.toContainText('Your card was declined');
    await route.continue();
  });
  await declined.getByRole('button', { name: 'Pay €5' }).click();
  await expect(declined.getByRole('status').first()).toHaveText('Ready to use');
  await page.unroute('**/api/trpc/order.pay*');
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText(['To pay', 'Just paid']);
  await expect(page.locator(':focus'), 'the result has the focus').toContainText(
    'Your payment went through.',
  );

  const silent = orderOf(page, titles.silent);
  await silent.getByLabel('Demo card').selectOption('Bank is slow, then approves');
  await silent.getByRole('button', { name: 'Pay €5' }).click();
  await expect(silent).toContainText('Your bank hasn’t responded yet.');
  await expect(silent.getByRole('status').first()).toHaveText('Checking payment');
  await expect(silent.getByRole('button', { name: 'Paying…' })).toHaveAttribute('aria-disabled', 'true');
  await expect(silent.getByRole('status').first()).toHaveText('Ready to use');

  const twice = orderOf(page, titles.twice);
  await twice.getByLabel('Demo card').selectOption('Payment is reported twice');
  await twice.getByRole('button', { name: 'Pay €5' }).click();
  await expect(twice.getByRole('status').first()).toHaveText('Ready to use');
});

test.describe('too late', () => {
  test.use({ expectedStatuses: [409] });

  test('paying an order that another tab has cancelled shows the change in both tabs', async ({
    page,
    watchConsole,
    floodgate,
  }) => {
    const title = 'Rice, twice';
    await floodgate.addSale(title, { opensInMs: 0 });
    await grab(page, title);
    await page.goto('/wallet');
    const other = await page.context().newPage();
    watchConsole(other);
    // A hidden tab is not refreshed, so it does not show the change of the other tab.
    await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }));
    await other.goto('/wallet');
    await orderOf(other, title).getByRole('button', { name: 'Cancel order' }).click();
    await orderOf(other, title).getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
    await expect(orderOf(other, title).getByRole('status').first()).toHaveText('Cancelled');

    await page.bringToFront();
    await orderOf(page, title).getByRole('button', { name: 'Pay €5' }).click();
    await expect(orderOf(page, title)).toContainText('This order was cancelled. You weren’t charged.');
    await expect(orderOf(page, title).getByRole('status').first()).toHaveText('Cancelled');
  });
});
