import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { press, salePage, signInShopper } from './sale-page';

test('a new visitor holds a coupon after one click, and pays it in the wallet after two', async ({
  page,
}) => {
  const sale = salePage(page);
  await sale.open();
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();

  await sale.grab.click();

  await expect(sale.gate).toContainText(/Held, pay within 1[45]:\d\d/);
  await expect(sale.gate.getByRole('code'), 'no code before it is paid').toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Signed in as/ })).toBeVisible();
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1');
  const title = (await sale.gate.getByRole('heading').textContent()) ?? '';

  await expect(sale.next).toHaveAccessibleName(`Pay €9.90 ${title}`);
  await sale.next.click();
  await expect(page.getByRole('heading', { name: 'Wallet' })).toBeVisible();
  const order = page.getByRole('main').getByRole('article', { name: title });
  expect(new URL(page.url()).hash, 'the link leads to the order').toBe(`#${await order.getAttribute('id')}`);
  await order.getByRole('button', { name: 'Pay €9.90' }).click();
  await expect(order.getByRole('status').first()).toHaveText('Ready to use');
  const code = (await order.getByRole('code').textContent()) ?? '';

  await page.getByRole('link', { name: 'Sale', exact: true }).click();
  await expect(sale.next, 'a paid coupon leads to the wallet').toHaveText('In your wallet');
  await expect(sale.gate.getByRole('code')).toHaveText(code);
});

test('a shopper who has a coupon cannot spend another call on it, also after a reload', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await sale.grab.click();
  await expect(sale.gate).toContainText('Held, pay within');
  await expect(sale.gate.getByRole('button', { name: /^Grab/ })).toHaveCount(0);

  const html = await (await page.request.get('/')).text();
  expect(html, 'the server renders it').toContain('Pay €9.90');
  await page.reload();
  await expect(sale.next).toHaveText('Pay €9.90');
  await expect(sale.gate).toContainText(/Held, pay within 1[45]:\d\d/);
  await expect(sale.gate.getByRole('button', { name: /^Grab/ })).toHaveCount(0);
});

test('a coupon that another tab has bought is shown, and nothing is bought again', async ({
  page,
  watchConsole,
}) => {
  const sale = salePage(page);
  await sale.open();
  await page.request.post('/api/trpc/auth.signInDemo', { data: {} });
  await page.reload();
  await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' }));
  const other = await page.context().newPage();
  watchConsole(other);
  const there = salePage(other);
  await there.open();
  await press(there.grab, 'coupon.seckill');
  await expect(there.next).toBeVisible();

  await sale.grab.click();
  await expect(sale.gate).toContainText(
    'You grabbed this one before. It’s yours once you pay. If you don’t, it goes back on sale.',
  );
  await expect(sale.next).toHaveText('Pay €9.90');
});

test('the card answers a click in the next frame, before any reply', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await page.waitForFunction(() => window.earlyClicks === null);
  // No request is answered: a refused one could fail before the frame.
  await page.route('**/api/trpc/**', () => undefined);
  const text = await sale.grab.evaluate(async (button: HTMLElement) => {
    button.click();
    await new Promise(requestAnimationFrame);
    return button.textContent;
  });
  expect(text).toBe('Sending…');
});

test('a click before the page is interactive is kept, and sent once', async ({ page }) => {
  const sale = salePage(page);
  const release = await holdScripts(page);
  const calls: string[] = [];
  page.on('request', (request) => request.url().includes('coupon.seckill') && calls.push(request.url()));
  await page.goto('/', { waitUntil: 'commit' });

  await sale.grab.click();
  await sale.grab.press('Enter');
  await expect(sale.grab, 'the button shows that it was pressed').toHaveCSS('opacity', '0.7');
  release();

  await expect(sale.gate).toContainText('Held, pay within');
  expect(calls).toHaveLength(1);
});

test('the menu of the user opens if it was pressed before the page is interactive', async ({ page }) => {
  await signInShopper(page);
  const release = await holdScripts(page);
  await page.goto('/', { waitUntil: 'commit' });
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  release();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
});

test('the link to the wallet counts the coupons in it', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await expect(page.getByRole('link', { name: 'Wallet', exact: true })).toBeVisible();
  await sale.grab.click();
  await expect(page.getByRole('link', { name: 'Wallet, 1 to pay, 1 coupon', exact: true })).toBeVisible();
  await press(sale.coupon('Filter coffee before ten').getByRole('button'), 'coupon.claim');
  await expect(
    page.getByRole('link', { name: 'Wallet, 1 to pay, 2 coupons', exact: true }),
    'the badge counts the coupons to pay',
  ).toHaveText(/^Wallet\s*1$/, { useInnerText: true });

  await page.goto('/wallet');
  await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: 'Pay €9.90' }) })
    .getByRole('button', { name: 'Cancel order' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel order' }).click();
  await expect(page.getByRole('link', { name: 'Wallet, 1 coupon', exact: true })).toBeVisible();
});

test('a ticket travels to the wallet within 700 ms and delays nothing, or none with reduced motion', async ({
  page,
}) => {
  const sale = salePage(page);
  const flights = () => page.evaluate(listFlights);
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    await page.context().clearCookies();
    await page.emulateMedia({ reducedMotion });
    await sale.open();
    await page.evaluate(watchFlights);
    await sale.grab.focus();
    await page.keyboard.press('Enter');
    await expect(sale.next, 'the focus moves at once').toBeFocused();
    await expect(sale.gate.getByRole('status')).toContainText('Held, pay within');
    const expected = reducedMotion === 'reduce' ? [] : [expect.any(Number)];
    await expect.poll(flights).toEqual(expected);
    for (const duration of await flights()) expect(duration).toBeLessThanOrEqual(700);
    await expect(page.locator('body > [aria-hidden="true"]'), 'the ticket is removed').toHaveCount(0);
  }
});

/** Runs in the page: records the duration of animations that a script starts on a child of the body. */
function watchFlights(): void {
  const animate = Element.prototype.animate;
  const durations: number[] = [];
  Object.assign(window, { flights: durations });
  Element.prototype.animate = function record(keyframes, options) {
    if (this.parentElement === document.body && typeof options === 'object') {
      durations.push(Number(options.duration));
    }
    return animate.call(this, keyframes, options);
  };
}

/** Runs in the page. */
function listFlights(): number[] {
  return 'flights' in window && Array.isArray(window.flights) ? window.flights : [];
}

test('an empty wallet leads to the sale', async ({ page }) => {
  await page.goto('/wallet');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign in as Bram' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Go to the sale' }).click();
  await expect(page.getByRole('heading', { name: 'Flash sale' })).toBeVisible();
});

/** Keeps back the scripts of the next page, so that it is not interactive. Returns a function that sends them. */
async function holdScripts(page: Page): Promise<() => void> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/_next/static/**/*.js', async (route) => {
    await released;
    await route.continue();
  });
  return () => release();
}
