import { EventEmitter, once } from 'node:events';
import { devices } from '@playwright/test';
import { findViolations } from './axe';
import { expect, test } from './fixtures';
import { salePage } from './sale-page';

test.use({ expectedStatuses: [429] });

test('the dock opens while the code that reads the coupons again is still loading', async ({ page }) => {
  const html = await (await page.request.get('/')).text();
  const code = new EventEmitter();
  const released = once(code, 'release');
  await page.route('**/_next/static/chunks/*.js', async (route) => {
    if (!html.includes(new URL(route.request().url()).pathname)) await released;
    await route.continue();
  });
  const sale = salePage(page);
  // A script that waits may delay the load event.
  await page.goto('/', { waitUntil: 'domcontentloaded' });
  // The first click may be before the page is interactive.
  await expect(async () => {
    if ((await sale.opener.getAttribute('aria-expanded')) !== 'true') await sale.opener.click();
    await expect(sale.opener).toHaveAttribute('aria-expanded', 'true', { timeout: 200 });
  }).toPass();
  code.emit('release');
  await expect(sale.dock).toBeVisible();
  await expect(sale.grab).toBeEnabled();
});

test('the dock is closed at first, and its crowd empties the coupon that the visitor sees', async ({
  page,
}) => {
  await page.request.post('/api/trpc/auth.signInDemo', { data: {} });
  const sale = salePage(page);
  await sale.openEmpty();
  await expect(sale.dock).toHaveCount(0);
  await expect(page.getByText('Try to get past it: this is a demo, without real money.')).toBeVisible();

  await sale.openDock();
  await expect(sale.opener).toHaveAttribute('aria-expanded', 'true');
  const title = (await sale.gate.getByRole('heading').textContent()) ?? '';
  await expect(sale.dock.getByRole('combobox', { name: 'Coupon' }).locator(':checked')).toHaveText(title);
  const stock = sale.gate.getByRole('meter', { name: /left$/ });
  const before = Number(await stock.getAttribute('aria-valuenow'));
  await sale.dock.getByRole('radio', { name: '50', exact: true }).check();
  await sale.dock.getByRole('radio', { name: 'at once' }).check();
  await sale.dock.getByRole('button', { name: 'Send the crowd' }).click();

  await expect(stock).toHaveAttribute('aria-valuenow', String(before - 50));
  await expect(sale.own('Grabbing')).toBeVisible();
  const shownStock = sale.dock.getByRole('meter', { name: /left$/ });
  await expect(shownStock).toHaveAttribute('aria-valuenow', String(before - 50));
  for (const part of [shownStock, stock, sale.grab, sale.own('Grabbing'), sale.everyone]) {
    const isOnTop = await part.evaluate((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      const corners = [
        document.elementFromPoint(left + 8, top + 1),
        document.elementFromPoint(right - 8, bottom - 1),
      ];
      return corners.every((top) => node.contains(top));
    });
    expect(isOnTop, 'cause and effect share one view').toBe(true);
  }
  expect(await findViolations(page)).toEqual([]);
});

test('Escape closes the dock from anywhere, and it keeps its results', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await sale.openDock();
  await sale.dock.getByRole('button', { name: 'Tap 20×' }).click();
  await expect(sale.dock).toContainText('20 taps:');
  await sale.dock.getByRole('button', { name: 'Close' }).click();
  await expect(sale.opener).toBeFocused();

  await sale.opener.press('Enter');
  await expect(sale.dock).toContainText('20 taps:');
  await sale.next.focus();
  await page.keyboard.press('Escape');
  await expect(sale.dock).toBeHidden();
  await expect(sale.next, 'the focus outside of the dock stays').toBeFocused();
});

test('the dock switches the user, and stays open', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await sale.openDock();
  await sale.dock.getByRole('button', { name: /^Bram/ }).click();
  await expect(page.getByRole('button', { name: 'Signed in as Bram' })).toBeVisible();
  await expect(sale.dock.getByRole('button', { name: /^Bram/ })).toHaveAttribute('aria-current', 'true');
  await sale.dock.getByText('curl coupon.claim').click();
  await expect(sale.dock.getByText('api/trpc/coupon.claim')).toBeVisible();
});

const { defaultBrowserType: _, ...phone } = devices['iPhone SE'] ?? {};
test.describe('on a phone', () => {
  test.use(phone);

  test('the dock takes half of the screen at most, above the bar with the button', async ({ page }) => {
    const sale = salePage(page);
    await sale.open();
    await expect(sale.opener).toBeInViewport({ ratio: 1 });
    await sale.openDock();
    await expect(sale.grab).toBeInViewport({ ratio: 1 });
    const dock = await sale.dock.boundingBox();
    const grab = await sale.grab.boundingBox();
    const height = page.viewportSize()?.height ?? 0;
    expect(dock?.height).toBeLessThanOrEqual(height / 2);
    expect((dock?.y ?? 0) + (dock?.height ?? 0)).toBeLessThanOrEqual(grab?.y ?? 0);
    await expect(sale.dock.getByRole('meter', { name: /left$/ })).toBeInViewport({ ratio: 1 });
    await expect(sale.dock.getByRole('button', { name: 'Send the crowd' })).toBeInViewport({ ratio: 1 });
  });
});
