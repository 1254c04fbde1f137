import type { Page } from '@playwright/test';
import { findViolations } from './axe';
import { expect } from './fixtures';
import { opsPage } from './ops-page';
import { test } from './own-floodgate';
import { salePage } from './sale-page';

test.use({ expectedStatuses: [503] });

test('while Redis is down the gate refuses all calls with a message, and reopens by itself', async ({
  page,
  otherPage,
  floodgate,
}) => {
  const owner = salePage(page);
  await owner.open();
  await owner.grab.click();
  await expect(owner.gate).toContainText('Held, pay within');
  const title = (await owner.gate.getByRole('heading').textContent()) ?? '';
  const couponId = await findCouponId(page, title);

  const sale = salePage(otherPage);
  await otherPage.request.post('/api/trpc/auth.signInDemo', { data: {} });
  await otherPage.goto('/');
  await floodgate.redis.kill();
  // The open page closes its button as soon as it notices, so the calls do not use it.
  await expect(async () => {
    const refused = await otherPage.request.post('/api/trpc/coupon.seckill', { data: { couponId } });
    expect(refused.status()).toBe(503);
    expect((await refused.json()).error.message).toBe(
      'This cannot be answered right now. Try again in a moment.',
    );
  }).toPass();
  await expect(sale.grab).toHaveText('Paused');

  await page.getByRole('link', { name: 'Wallet' }).first().click();
  await expect(page.getByRole('listitem'), 'the wallet needs no Redis').toContainText(title);
  const pay = page.getByRole('button', { name: /^(Pay|Paused)/ });
  await expect(pay, 'a payment is a limited call').toHaveText('Paused');
  await expect(pay).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByRole('listitem')).toContainText(
    'You can’t pay right now, and the time keeps running.',
  );
  await page.goto('/');
  await expect(owner.next, 'a held coupon leads to its order, but offers no payment').toHaveText(
    'In your wallet',
  );
  await expect(owner.gate, 'and does not urge to pay').toContainText(/Held for another 1\d:\d\d/);
  await expect(owner.gate).toContainText('You can’t pay right now, and the time keeps running.');
  await otherPage.goto('/');
  await expect(sale.gate).toContainText('Not available right now. Reopens automatically');
  await expect(sale.gate.getByText('Paused'), 'only the button states the pause').toHaveCount(1);
  await sale.openDock();
  for (const name of ['Send the crowd', 'Tap 20×'])
    await expect(sale.dock.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
  await expect(sale.dock).toContainText('Not available right now. Reopens automatically');

  await floodgate.redis.restart();
  await expect(sale.grab).toHaveText('Grab', { timeout: 20_000 });
  const again = await page.request.post('/api/trpc/coupon.seckill', { data: { couponId } });
  expect((await again.json()).result.data, 'the gate is rebuilt from the ledger').toMatchObject({
    outcome: 'already-bought',
  });
  await expect(owner.next).toHaveText(/^Pay/);
});

/** Finds the newest coupon with this title. */
async function findCouponId(page: Page, title: string): Promise<string | undefined> {
  const { result } = await (await page.request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; title: string; startsAt: number }[] = result.data.coupons;
  return coupons.filter((coupon) => coupon.title === title).toSorted((a, b) => b.startsAt - a.startsAt)[0]
    ?.id;
}

test('a frozen Redis closes the buttons of an open page at once, and its end opens them and clears the error', async ({
  page,
  floodgate,
}) => {
  const sale = salePage(page);
  await sale.openEmpty();
  await expect(sale.grab).toHaveText('Grab');
  floodgate.redis.freeze();
  try {
    await sale.grab.click();
    await expect(sale.gate).toContainText('The service is unavailable right now.');
    await expect(sale.grab).toHaveText('Paused', { timeout: 3_000 });
    await expect(sale.grab).toHaveAttribute('aria-disabled', 'true');
    await expect(page.getByText('Interrupted', { exact: true })).toBeVisible();
    const other = sale.coupon('Filter coffee before ten');
    await expect(other, 'in the words of a page that is loaded now').toContainText(
      'Not available right now.',
    );
  } finally {
    floodgate.redis.thaw();
  }
  await expect(sale.grab).toHaveText('Grab', { timeout: 5_000 });
  await expect(sale.gate).not.toContainText('The service is unavailable right now.', { timeout: 1_000 });
  await expect(page.getByText('Interrupted', { exact: true })).toBeHidden();
});

test('while Postgres is down each page shows its own message, and recovers by itself', async ({
  page,
  floodgate,
}) => {
  const sale = salePage(page);
  await page.goto('/');
  await sale.grab.click();
  await expect(sale.next).toBeVisible();

  await floodgate.postgres.kill();
  for (const [path, title] of [
    ['/wallet', 'We can’t load your wallet right now'],
    ['/?lang=zh', '抢购页面暂时打不开'],
    ['/?lang=en', 'We can’t load the sale right now'],
  ] as const) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(503);
    expect(response?.headers()['retry-after'], path).toBe('5');
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toHaveText(title);
    await expect(page.locator('html')).toHaveAttribute('lang', path.endsWith('zh') ? 'zh' : 'en');
    await expect(page.getByRole('banner').getByRole('link').first(), 'the header stays').toBeVisible();
  }
  await expect(page.getByText(/Trying again in \d\ss/)).toBeVisible();

  expect(await findViolations(page)).toEqual([]);

  await page.evaluate(() => document.documentElement.setAttribute('data-not-reloaded', ''));
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect(page.getByRole('button', { name: 'Try now' }), 'the retry has ended').not.toHaveAttribute(
    'aria-busy',
  );
  await floodgate.postgres.restart();
  await expect(sale.next, 'without a click').toBeVisible({ timeout: 25_000 });
  await expect(page.locator('html')).toHaveAttribute('data-not-reloaded');
  await expect(
    page.getByRole('heading', { level: 1 }),
    'the focus moves from the removed button',
  ).toBeFocused();
});

test('while a store is down operators see what the other one has, and the rest returns by itself', async ({
  page,
  floodgate,
}) => {
  const problem = page.getByText('The service is unavailable right now. Try again in a moment.');
  await opsPage(page).open('/ops/who');
  await floodgate.postgres.kill();
  await page.goto('/ops/who');
  await expect(page.getByRole('heading', { name: 'Most refused' })).toBeVisible();
  await expect(problem).toBeVisible({ timeout: 20_000 });
  await floodgate.postgres.restart();
  await expect(page.getByRole('table', { name: 'Personal limits' })).toBeVisible({ timeout: 25_000 });

  await floodgate.redis.kill();
  await page.goto('/ops/sales');
  await expect(page.getByRole('heading', { name: 'Coupons' })).toBeVisible();
  await expect(problem).toBeVisible({ timeout: 20_000 });
  await floodgate.redis.restart();
  await expect(page.getByText('No refund is due. Every purchase is recorded.')).toBeVisible({
    timeout: 25_000,
  });
});

test('while Postgres is down merchants are unavailable, and the page recovers by itself', async ({
  page,
  floodgate,
}) => {
  await floodgate.postgres.kill();
  await page.goto('/merchants');
  await expect(page.getByRole('heading', { name: 'We can’t load the merchants right now' })).toBeVisible();
  await floodgate.postgres.restart();
  await expect(page.getByRole('main').getByRole('listitem').first()).toBeVisible({ timeout: 25_000 });
});

test('a frozen Postgres delays a page by 2.5 s at most', async ({ request, floodgate }) => {
  await expect(async () => expect((await request.get('/')).status()).toBe(200)).toPass();
  floodgate.postgres.freeze();
  try {
    // Cached data is shown for a moment longer.
    await expect(async () => {
      const started = performance.now();
      const response = await request.get('/');
      expect(performance.now() - started).toBeLessThan(2_500);
      expect(response.status()).toBe(503);
    }).toPass();
  } finally {
    floodgate.postgres.thaw();
  }
  await expect(async () => expect((await request.get('/')).status()).toBe(200)).toPass();
});

test('while Redis is down merchants are still found, and the page shows that the node counts locally', async ({
  page,
  floodgate,
}) => {
  await page.goto('/merchants');
  await expect(page.getByRole('listitem').first()).toBeVisible();
  await floodgate.redis.kill();
  await page.getByRole('searchbox').fill('noodle');
  await expect(page.getByRole('complementary')).toContainText(
    'The count is unknown for a moment. The limit still applies.',
  );
  await expect(page.getByRole('complementary'), 'the count is unknown').toContainText('– / 5 per 1 s');
  await expect(
    page
      .getByRole('listitem')
      .filter({ hasText: /noodle/i })
      .first(),
  ).toBeVisible();
  await floodgate.redis.restart();
});
