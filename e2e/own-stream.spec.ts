import { expect, test } from './fixtures';
import { press, salePage } from './sale-page';

test.describe('a browser without Web Locks, as on a LAN without HTTPS', () => {
  test('has a live stream in each tab, and each tab sees the same window', async ({ page, watchConsole }) => {
    const streams: string[] = [];
    const context = page.context();
    await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'));
    context.on('request', (request) => {
      if (request.url().endsWith('/api/live')) streams.push(request.url());
    });
    const here = salePage(page);
    await here.openEmpty();
    const second = await context.newPage();
    watchConsole(second);
    const there = salePage(second);
    await there.openEmpty();
    expect(await second.evaluate(() => 'locks' in navigator)).toBe(false);
    expect(streams).toHaveLength(2);

    await press(here.grab, 'coupon.seckill');
    await expect(here.everyone).toHaveAttribute('aria-valuenow', '1');
    await expect(there.everyone).toHaveAttribute('aria-valuenow', '1');
  });
});

test('a hidden tab closes its connection, and opens a new one when it is visible again', async ({ page }) => {
  const isLiveStream = (url: string) => url.endsWith('/api/live');
  let opened = 0;
  let closed = 0;
  page.on('request', (request) => {
    if (isLiveStream(request.url())) opened += 1;
  });
  page.on('requestfailed', (request) => {
    if (isLiveStream(request.url())) closed += 1;
  });
  const sale = salePage(page);
  await sale.open();
  expect({ opened, closed }).toEqual({ opened: 1, closed: 0 });

  await page.evaluate(setVisibility, 'hidden');
  await expect.poll(() => closed).toBe(1);

  await page.evaluate(setVisibility, 'visible');
  await expect.poll(() => opened).toBe(2);
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.everyone, 'the new connection receives events').toHaveAttribute(
    'aria-valuenow',
    /^[1-9]/,
  );
});

/** Runs in the page and simulates its visibility, because a headless browser does not hide tabs. */
function setVisibility(state: string): void {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  document.dispatchEvent(new Event('visibilitychange'));
}
