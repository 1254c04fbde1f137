import { startBuiltServer } from '../test/services/built-server';
import { startPglite } from '../test/services/pglite';
import { startRedis } from '../test/services/redis';
import { test as base, expect } from './fixtures';
import { salePage } from './sale-page';

interface Stores {
  stores: Record<string, string>;
}

const test = base.extend<object, Stores>({
  /** A Redis, and a PGlite as `npm start` has it. The last test reads what the first one has stored. */
  stores: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from this pattern.
    async ({}, use) => {
      const [redis, database] = await Promise.all([startRedis(), startPglite()]);
      await use({ REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_PGLITE: '1' });
      await Promise.all([redis.stop(), database.stop()]);
    },
    { scope: 'worker' },
  ],
});
test.describe.configure({ mode: 'serial' });

test.describe('on PGlite', () => {
  test.use({
    async baseURL({ stores }, use) {
      const server = await startBuiltServer({ ...stores, FLOODGATE_DEMO: '1', TRUSTED_PROXIES: '127.0.0.1' });
      await use(server.url);
      await server.stop();
    },
  });

  test('a visitor buys and pays a coupon, and the wallet keeps it', async ({ page }) => {
    const sale = salePage(page);
    await sale.open();
    await sale.grab.click();
    await sale.openOrder();
    await page.getByRole('button', { name: 'Pay €9.90' }).click();
    const order = page.getByRole('main').getByRole('article').first();
    await expect(order).toContainText('Ready to use');
    await page.reload();
    await expect(order).toContainText('Ready to use');
  });
});

test.describe('outside demo mode, with the coupons of a demo', () => {
  test.use({
    async baseURL({ stores }, use) {
      const server = await startBuiltServer({ ...stores, TRUSTED_PROXIES: '127.0.0.1' });
      await use(server.url);
      await server.stop();
    },
  });

  test('a shopper gets no tool to flood the sale and no curl command, and reads each rule once', async ({
    page,
  }) => {
    const sale = salePage(page);
    await page.goto('/');
    await expect(sale.grab).toBeVisible();
    await expect(sale.everyone).toBeVisible();
    await expect(sale.gate, 'a press does not sign in').toContainText(
      'Sign in first. One coupon per shopper.',
    );
    await expect(sale.opener).toHaveCount(0);
    const [title, lead] = await Promise.all([
      page.getByRole('heading', { level: 1 }).boundingBox(),
      page.getByText('Grab one before they’re gone.', { exact: true }).boundingBox(),
    ]);
    expect(title && lead && title.y + title.height <= lead.y, 'the lead is below the title').toBe(true);
    await expect(page.getByText(/This is a demo/)).toHaveCount(0);
    // The meters of claims are one line until a press.
    await expect(page.getByRole('region', { name: 'Grabbing' }).getByText('The exact rule')).toHaveCount(1);
    await expect(page.getByText('The exact rule')).toHaveCount(2);
    await expect(page.getByText(/^curl/)).toHaveCount(0);
    expect((await page.request.post('/api/trpc/demo.crowd', { data: {} })).status()).toBe(404);

    await page.goto('/merchants');
    await expect(page.getByRole('meter', { name: 'Your searches' })).toBeVisible();
    await expect(page.getByText(/^curl/)).toHaveCount(0);
  });
});
