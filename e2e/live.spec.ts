import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { opsPage, signInOperator } from './ops-page';
import { findLiveCoupon, press, salePage } from './sale-page';

test.describe('a browser without Web Locks, as on a LAN without HTTPS', () => {
  test('has a live stream in each tab, and each tab sees the same window', async ({ page, watchConsole }) => {
    const streams: string[] = [];
    const context = page.context();
    await context.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'));
    context.on('request', (request) => {
      if (request.url().includes('/api/live')) streams.push(request.url());
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
  const isLiveStream = (url: string) => url.includes('/api/live');
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

test('two tabs share one connection, and the second continues when the first closes', async ({
  page,
  watchConsole,
}) => {
  const streams: string[] = [];
  page.context().on('request', (request) => {
    if (request.url().includes('/api/live')) streams.push(request.url());
  });
  const sale = salePage(page);
  await sale.open();
  const second = await page.context().newPage();
  watchConsole(second);
  const there = salePage(second);
  await there.open();
  expect(streams).toHaveLength(1);

  await page.close();
  await press(there.grab, 'coupon.seckill');
  await expect(there.everyone).toHaveAttribute('aria-valuenow', '1');
  expect(streams).toHaveLength(2);
});

test('an embedded meter is shown without the page around it', async ({ page }) => {
  await page.goto('/?embed=coupon.seckill');
  await expect(page.getByRole('meter', { name: 'Everyone’s tries' })).toBeVisible();
  await expect(page.getByRole('banner')).toBeHidden();
  await page.goto('/?embed=merchant');
  await expect(page.getByRole('meter', { name: 'Your searches' })).toBeVisible();
  await page.goto('/?embed=merchant:user');
  await expect(page.getByText('“merchant:user” has no meter to show.')).toBeVisible();
  await page.goto('/?embed=coupon.nothing&lang=zh');
  await expect(page.getByText('“coupon.nothing”没有可显示的计数。')).toBeVisible();
});

test('one animation moves the hits of a window, and none with reduced motion', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const sale = salePage(page);
  const moving = () =>
    sale
      .own('Grabbing')
      .evaluate((meter) => meter.getAnimations({ subtree: true }).map(({ playState }) => playState));
  await sale.open();
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1');
  await sale.own('Grabbing').scrollIntoViewIfNeeded();
  await expect.poll(moving).toEqual(['running']);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(moving).toEqual([]);

  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '0');
  await expect(sale.own('Grabbing').locator('path').first(), 'a hit that has left is not drawn').toBeHidden();
});

test('with reduced motion, no hit is drawn beyond the present', async ({ page }) => {
  const sale = salePage(page);
  await sale.openEmpty();
  const couponId = await findLiveCoupon(page.request, 'seckill');
  const crowd = page.request.post('/api/trpc/demo.crowd', {
    data: { couponId, shoppers: 50, overMs: 3_000 },
  });
  await expect(sale.everyone).not.toHaveAttribute('aria-valuenow', '0');
  const drawing = sale.everyone.locator('svg').first();
  expect(await drawing.evaluate(findNewestPosition, 1_500)).toBeLessThan(0.51);
  await crowd;
});

/** Runs in the page: returns the last position of a hit in the frames of a time in ms. The present is at 0.5. */
async function findNewestPosition(svg: SVGElement, durationMs: number): Promise<number> {
  const width = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const end = performance.now() + durationMs;
  let newest = 0;
  while (performance.now() < end) {
    const path = svg.querySelector('path')?.getAttribute('d') ?? '';
    const positions = [...path.matchAll(/M([\d.]+)/g)].map(([, x]) => Number(x) / width);
    newest = Math.max(newest, ...positions);
    await new Promise(requestAnimationFrame);
  }
  return newest;
}

const staleText = 'No live updates. Numbers may be old.';

test('a silent stream is shown as stale, and recovers by itself', async ({ page }) => {
  const level = { policy: 'coupon.seckill', level: 'global', limit: 100, windowMs: 600_000 };
  const event = {
    serverNow: Date.now(),
    // As many that the meters open.
    windows: [{ ...level, used: 50, hits: Array(50).fill(Date.now()) }],
    rates: [],
    stock: [],
  };
  let opened = 0;
  await page.route('**/api/live*', (route) => {
    opened += 1;
    const body = opened === 1 ? `event: windows\ndata: ${JSON.stringify(event)}\n\n` : ':\n\n';
    return route.fulfill({ contentType: 'text/event-stream', body });
  });
  const sale = salePage(page);
  await page.goto('/');
  await expect(page.getByText(staleText)).toBeVisible();
  await expect(page.getByText('Interrupted')).toBeVisible();
  await expect(sale.everyone, 'the last count stays').toHaveAttribute('aria-valuenow', '50');
  await expect(sale.grab, 'in the words of an unreadable store').toHaveText('Paused');
  await expect(sale.gate).toContainText('Not available right now.');

  await page.unroute('**/api/live*');
  await expect(page.getByText(staleText)).toBeHidden();
  await expect(sale.grab).toHaveText('Grab');
});

test.describe('a refused stream', () => {
  test.use({ expectedStatuses: [401, 403, 429] });

  /** Answers each request of the stream with a status. Returns the number of requests so far. */
  async function refuseStreams(page: Page, status: number, headers: Record<string, string> = {}) {
    let requests = 0;
    await page.clock.install();
    await page.route('**/api/live*', (route) => {
      requests += 1;
      return route.fulfill({ status, headers, body: 'refused' });
    });
    return () => requests;
  }

  for (const status of [401, 403]) {
    test(`that answers ${status} is not opened again, and the page says that a sign-in is needed`, async ({
      page,
    }) => {
      const requests = await refuseStreams(page, status);
      await page.goto('/');
      await expect(page.getByText('Sign in for live numbers')).toBeVisible();
      const before = requests();
      expect(before).toBeLessThanOrEqual(2);
      await page.clock.runFor(300_000);
      expect(requests()).toBe(before);
    });
  }

  test('that answers 429 is opened again after the time that it names', async ({ page }) => {
    const requests = await refuseStreams(page, 429, { 'retry-after': '40' });
    await page.goto('/');
    await expect.poll(requests).toBe(2);
    await page.clock.runFor(39_000);
    expect(requests()).toBe(2);
    await page.clock.runFor(4_000);
    await expect.poll(requests).toBe(4);
  });

  test('of an operator who has signed out elsewhere shows the sign-in instead of the page', async ({
    page,
  }) => {
    await signInOperator(page.request);
    await opsPage(page).open('/ops');
    await expect(page.getByText('healthy').first()).toBeVisible();
    expect((await page.request.post('/api/trpc/auth.signOut', { data: {} })).status()).toBe(200);
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/ops/live')) requests += 1;
    });
    await page.evaluate(setVisibility, 'hidden');
    await page.evaluate(setVisibility, 'visible');
    await expect(page.getByRole('heading', { name: 'Sign in as an operator' })).toBeVisible();
    expect(requests).toBeLessThanOrEqual(2);
  });
});
