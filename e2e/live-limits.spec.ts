import type { APIRequestContext } from '@playwright/test';
import { expect } from './fixtures';
import { signInOperator } from './ops-page';
import { test } from './own-floodgate';
import { salePage, signInShopper } from './sale-page';

const own = { policy: 'coupon.seckill', level: 'user' };
const reads = { policy: 'coupon.read', level: 'ip' };

test.use({ expectedStatuses: [429] });

test.afterEach(async ({ request }) => {
  await signInOperator(request);
  for (const level of [own, reads])
    expect((await request.post('/api/trpc/limit.reset', { data: level })).status()).toBe(200);
});

/** Changes a shopper's own limit as an operator. */
async function changeOwnLimit(
  request: APIRequestContext,
  change: { limit: number } | { mode: 'shadow' },
): Promise<void> {
  await signInOperator(request);
  const answer = await request.post('/api/trpc/limit.update', { data: { ...own, ...change } });
  expect(answer.status()).toBe(200);
}

test('a changed limit is in the own meter and in the rule of an open page, which says in words that it is not enforced', async ({
  page,
  request,
}) => {
  const sale = salePage(page);
  await sale.openEmpty();
  await sale.grab.click();
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuemax', '5');
  const group = page.getByRole('region', { name: 'Grabbing' });
  await expect(group).toContainText('Up to 100 grabs in any 10 seconds, 5 tries per shopper.');

  await changeOwnLimit(request, { limit: 2 });
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuemax', '2');
  await group.getByText('The exact rule').click();
  await expect(group.getByText('Up to 100 grabs in any 10 seconds, 2 tries per shopper.')).toBeVisible();

  await page.reload();
  await expect(group, 'a new page has the effective limit').toContainText(
    'Up to 100 grabs in any 10 seconds, 2 tries per shopper.',
  );

  await expect(group.getByText('Not enforced right now')).toBeHidden();
  await changeOwnLimit(request, { mode: 'shadow' });
  await expect(group.getByText('Not enforced right now')).toBeVisible({ timeout: 5_000 });
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuetext', /, not enforced$/);
});

test('a higher limit of an operator ends the wait of an open page', async ({ page, request }) => {
  const sale = salePage(page);
  await sale.openEmpty();
  await changeOwnLimit(request, { limit: 1 });
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuemax', '1');
  await sale
    .coupon(/.*/)
    .filter({ has: page.getByRole('button', { name: /^Grab/ }) })
    .first()
    .getByRole('button', { name: /^Grab/ })
    .click();
  const waiting = page.getByRole('button', { name: /^Retry in/ });
  await expect(waiting.first()).toBeVisible();
  await changeOwnLimit(request, { limit: 9 });
  await expect(waiting).toHaveCount(0, { timeout: 2_000 });
});

test('a page beyond the read limit answers 429, and recovers by itself', async ({ page, request }) => {
  await signInShopper(page);
  await signInOperator(request);
  const windowMs = 6_000;
  const lowered = { ...reads, limit: 2, windowMs, why: 'a test' };
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
    'Your internet connection has opened too many pages in a short time. Everyone on it counts together.',
  );
  await page.evaluate(() => document.documentElement.setAttribute('data-not-reloaded', ''));
  await expect(main.getByRole('article').first(), 'without a click').toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-not-reloaded');

  await expect(async () => {
    for (const path of ['/', '/', '/']) await request.get(path);
    expect((await page.goto('/wallet?lang=zh'))?.status()).toBe(429);
  }).toPass();
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('访问太频繁了');
});
