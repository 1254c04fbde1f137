import { startBuiltServer } from '../test/services/built-server';
import { startPglite } from '../test/services/pglite';
import { startRedis } from '../test/services/redis';
import { test as base, expect } from './fixtures';
import { salePage } from './sale-page';

const test = base.extend<object, { demoUrl: string }>({
  /** The address of a server outside demo mode, with the coupons of a demo. */
  demoUrl: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names from this pattern.
    async ({}, use) => {
      const [redis, database] = await Promise.all([startRedis(), startPglite()]);
      const stores = { REDIS_URL: redis.url, DATABASE_URL: database.url, FLOODGATE_PGLITE: '1' };
      const seeding = await startBuiltServer({ ...stores, FLOODGATE_DEMO: '1' });
      await seeding.stop();
      const server = await startBuiltServer({ ...stores, TRUSTED_PROXIES: '127.0.0.1' });
      await use(server.url);
      await server.stop();
      await Promise.all([redis.stop(), database.stop()]);
    },
    { scope: 'worker' },
  ],
});

test('outside demo mode, a shopper gets no tool to flood the sale', async ({ page }) => {
  const sale = salePage(page);
  await page.goto('/');
  await expect(sale.grab).toBeVisible();
  await expect(sale.everyone).toBeVisible();
  await expect(sale.gate, 'a press does not sign in').toContainText('Sign in first. One coupon per shopper.');
  await expect(sale.opener).toHaveCount(0);
  const [title, lead] = await Promise.all([
    page.getByRole('heading', { level: 1 }).boundingBox(),
    page
      .getByText(/^Up to 100 grabs in any/)
      .first()
      .boundingBox(),
  ]);
  expect(title && lead && title.y + title.height <= lead.y, 'the lead is below the title').toBe(true);
  await expect(page.getByText(/Try to get past it/)).toHaveCount(0);
  const { status } = await page.request
    .post('/api/trpc/demo.crowd', { data: {} })
    .then((response) => ({ status: response.status() }));
  expect(status).toBe(404);
});

test('outside demo mode, each group of windows states its rule once, and no page has a curl command', async ({
  page,
}) => {
  await page.goto('/');
  for (const name of ['Grabbing', 'Claiming'])
    await expect(page.getByRole('region', { name }).getByText('The exact rule')).toHaveCount(1);
  await expect(page.getByText('The exact rule')).toHaveCount(2);
  await expect(page.getByText(/^curl/)).toHaveCount(0);
  await page.goto('/merchants');
  await expect(page.getByRole('meter', { name: 'Your network' })).toBeVisible();
  await expect(page.getByText(/^curl/)).toHaveCount(0);
});
