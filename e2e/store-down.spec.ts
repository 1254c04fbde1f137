import { findViolations } from './axe';
import { expect } from './fixtures';
import { test } from './own-floodgate';
import { salePage } from './sale-page';

test.use({ expectedStatuses: [503] });

test('while Redis is down the gate refuses all calls with a message, and reopens by itself', async ({
  page,
  floodgate,
}) => {
  const sale = salePage(page);
  await page.goto('/');
  await sale.grab.click();
  await expect(sale.gate).toContainText('Confirmed. It’s yours.');
  const code = (await sale.gate.getByRole('code').textContent()) ?? '';

  await floodgate.redis.kill();
  await expect(async () => {
    await sale.grab.click();
    await expect(sale.gate).toContainText('The service is unavailable right now.', { timeout: 500 });
  }).toPass();

  await page.getByRole('link', { name: 'Wallet' }).first().click();
  await expect(page.getByRole('listitem').getByRole('code'), 'the wallet needs no Redis').toHaveText(code);
  await page.goto('/');
  await expect(sale.gate).toContainText('The sale resumes by itself.');
  await expect(sale.gate, 'after the live updates stop').toContainText('The data store is unavailable', {
    timeout: 20_000,
  });

  await floodgate.redis.restart();
  await expect(sale.grab).toHaveText('Grab', { timeout: 20_000 });
  await sale.grab.click();
  await expect(sale.gate, 'the gate is rebuilt from the ledger').toContainText('You already have this one.');
  await expect(sale.gate.getByRole('code')).toHaveText(code);
});

test('while Postgres is down each page shows its own message, and recovers by itself', async ({
  page,
  floodgate,
}) => {
  const sale = salePage(page);
  await page.goto('/');
  await sale.grab.click();
  await expect(sale.gate.getByRole('code')).toBeVisible();

  await floodgate.postgres.kill();
  for (const [path, title] of [
    ['/wallet', 'Your wallet will be right back'],
    ['/?lang=zh', '抢购马上回来'],
    ['/?lang=en', 'The sale will be right back'],
  ] as const) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(503);
    expect(response?.headers()['retry-after'], path).toBe('5');
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toHaveText(title);
    await expect(page.locator('html')).toHaveAttribute('lang', path.endsWith('zh') ? 'zh' : 'en');
    await expect(page.getByRole('banner').getByRole('link').first(), 'the header stays').toBeVisible();
  }
  await expect(page.getByText(/Trying again in \d s/)).toBeVisible();

  expect(await findViolations(page)).toEqual([]);

  await page.evaluate(() => document.documentElement.setAttribute('data-not-reloaded', ''));
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect(page.getByRole('button', { name: 'Try now' }), 'the retry has ended').not.toHaveAttribute(
    'aria-busy',
  );
  await floodgate.postgres.restart();
  await expect(sale.grab, 'without a click').toBeVisible({ timeout: 25_000 });
  await expect(page.locator('html')).toHaveAttribute('data-not-reloaded');
  await expect(page.getByRole('main'), 'the focus moves from the removed button').toBeFocused();
});

test('while Postgres is down merchants are unavailable, and the page recovers by itself', async ({
  page,
  floodgate,
}) => {
  await floodgate.postgres.kill();
  await page.goto('/merchants');
  await expect(page.getByRole('heading', { name: 'Merchants will be right back' })).toBeVisible();
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
  await expect(page.getByRole('complementary')).toContainText('This server counts your calls on its own.');
  await expect(
    page
      .getByRole('listitem')
      .filter({ hasText: /noodle/i })
      .first(),
  ).toBeVisible();
  await floodgate.redis.restart();
});
