import { expect, test } from './fixtures';
import { signInOperator } from './ops-page';

const level = { policy: 'coupon.read', level: 'ip' };

test.use({ expectedStatuses: [429] });

test.beforeEach(async ({ request }) => {
  await signInOperator(request);
});
test.afterEach(async ({ request }) => {
  expect((await request.post('/api/trpc/limit.reset', { data: level })).status()).toBe(200);
});

test('a page beyond the read limit answers 429, and recovers by itself', async ({ page, request }) => {
  await page.request.post('/api/trpc/auth.signInDemo', { data: { name: 'Rita' } });
  const windowMs = 6_000;
  const lowered = { ...level, limit: 2, windowMs, why: 'a test' };
  expect((await request.post('/api/trpc/limit.update', { data: lowered })).status()).toBe(200);
  await expect(async () => {
    for (const path of ['/?lang=en', '/wallet', '/?lang=en']) await request.get(path);
    const refused = await page.goto('/?lang=en');
    expect(refused?.status()).toBe(429);
    const retryAfter = Number(refused?.headers()['retry-after']);
    expect(retryAfter).toBeGreaterThanOrEqual(1);
    expect(retryAfter).toBeLessThanOrEqual(windowMs / 1_000);
  }).toPass();
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('Too many page views');
  await expect(main).toContainText(
    'Your network has opened too many pages in a short time. Everyone on it counts together.',
  );
  await page.evaluate(() => document.documentElement.setAttribute('data-not-reloaded', ''));
  await expect(main.getByRole('article').first(), 'without a click').toBeVisible({ timeout: 20_000 });
  await expect(page.locator('html')).toHaveAttribute('data-not-reloaded');

  await expect(async () => {
    for (const path of ['/', '/', '/']) await request.get(path);
    expect((await page.goto('/wallet?lang=zh'))?.status()).toBe(429);
  }).toPass();
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('访问太频繁了');
});
