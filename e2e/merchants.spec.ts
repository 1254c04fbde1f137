import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { signInOperator } from './ops-page';

test.use({ expectedStatuses: [429] });

test('a visitor finds a merchant by typing, and its coupon leads to its button on the sale page', async ({
  page,
}) => {
  await page.goto('/merchants');
  await page.getByRole('searchbox', { name: 'Search merchants' }).fill('noodle');
  await expect(page.getByRole('status').filter({ hasText: '1 merchant' })).toBeVisible();

  await page.getByRole('link', { name: /^Long Bench Noodle House/ }).click();
  await expect(page.getByRole('heading', { name: 'Long Bench Noodle House' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'hand-pulled noodles' })).toBeVisible();
  await noodles(page).link.click();
  await expect(noodles(page).claim).toBeInViewport({ ratio: 1 });
});

test('a coupon of a merchant leads to its button by keyboard', async ({ page }) => {
  await page.goto('/merchants/long-bench-noodles');
  await noodles(page).link.press('Enter');
  await expect(noodles(page).claim).toBeInViewport({ ratio: 1 });
  await expect(noodles(page).coupon, 'the next Tab is its link').toBeFocused();
});

test('a search is in the address: Back from a merchant and the other language find it again', async ({
  page,
}) => {
  await page.goto('/merchants');
  const search = page.getByRole('searchbox');
  await search.fill('noodle');
  await expect(page).toHaveURL('/merchants?q=noodle');
  await page.getByRole('link', { name: /^Long Bench Noodle House/ }).click();
  await expect(page.getByRole('heading', { name: 'Long Bench Noodle House' })).toBeVisible();
  await page.goBack();
  await expect(search).toHaveValue('noodle');
  await expect(page.getByRole('status').filter({ hasText: '1 merchant' })).toBeVisible();
  await page.getByRole('link', { name: '中文' }).click();
  await expect(search).toHaveValue('noodle');
});

/** Locates a coupon on the page of its merchant and on the sale page. */
function noodles(page: Page) {
  const coupon = page.getByRole('article', { name: 'Any bowl of hand-pulled noodles' });
  return {
    coupon,
    link: page.getByRole('link', { name: 'Claim in sale Any bowl of hand-pulled noodles' }),
    claim: coupon.getByRole('button', { name: /^Claim/ }),
  };
}

test.describe('a refused search', () => {
  const level = { policy: 'merchant', level: 'ip' };

  // The declared window of 1 s is shorter than six searches on a busy machine.
  test.beforeEach(async ({ request }) => {
    await signInOperator(request);
    const change = await request.post('/api/trpc/limit.update', { data: { ...level, windowMs: 8_000 } });
    expect(change.status()).toBe(200);
  });
  test.afterEach(async ({ request }) => {
    expect((await request.post('/api/trpc/limit.reset', { data: level })).status()).toBe(200);
  });

  test('has a countdown, and is repeated once by itself, with the text of the field', async ({ page }) => {
    await page.goto('/merchants');
    const search = page.getByRole('searchbox', { name: 'Search merchants' });
    const refusal = page.getByText('Limit for your internet connection: 5 per 8 s');
    await search.fill('noodle');
    await expect(page.getByRole('status').filter({ hasText: '1 merchant' })).toBeVisible();
    await pressUntil(search, () => refusal.isVisible());
    const calls: string[] = [];
    page.on('request', (request) => request.url().includes('merchant.list') && calls.push(request.url()));
    await search.fill('book');
    await expect(page.getByRole('link', { name: /^Margin Notes Books/ })).toBeVisible();
    await expect(refusal).toBeHidden();
    expect(calls, 'no call while the limit refuses').toHaveLength(1);
    await expect(page).toHaveURL('/merchants?q=book');
  });

  test('dims the last results on a phone, where the search is above the meter', async ({ page }) => {
    await page.setViewportSize({ width: 375, height: 812 });
    await page.goto('/merchants');
    const search = page.getByRole('searchbox', { name: 'Search merchants' });
    const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN;
    const meter = page.getByRole('meter').first();
    await expect(meter).toBeVisible();
    expect(await topOf(search)).toBeLessThan(await topOf(meter));

    await search.fill('noodle');
    const result = page.getByRole('link', { name: /^Long Bench Noodle House/ });
    await expect(page.getByRole('status').filter({ hasText: '1 merchant' })).toBeVisible();
    await expect(result).toBeVisible();
    const results = page.getByRole('list').filter({ has: result }).locator('xpath=..');
    await expect(results).toHaveCSS('opacity', '1');
    await pressUntil(search, () =>
      page.getByText('Limit for your internet connection: 5 per 8 s').isVisible(),
    );
    await expect(results).toHaveCSS('opacity', '0.7');
    await expect(result, 'the last results stay').toBeVisible();
    await expect(page.getByText('These are the results of your search before this one.')).toBeVisible();
  });
});

/** Searches again until a condition is met. */
async function pressUntil(search: Locator, isMet: () => Promise<boolean>): Promise<void> {
  await expect(async () => {
    await search.press('Enter');
    expect(await isMet()).toBe(true);
  }).toPass({ intervals: [100] });
}

test('the server-rendered HTML contains no merchant', async ({ request }) => {
  for (const path of ['/merchants', '/merchants/long-bench-noodles']) {
    const html = await (await request.get(path)).text();
    expect(html).not.toContain('Long Bench');
  }
});

test.describe('an unknown merchant', () => {
  test.use({ expectedStatuses: [404] });

  test('is a 404 with a way back to all merchants', async ({ page }) => {
    const answer = await page.goto('/merchants/unknown');
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1, name: 'Merchant not found' })).toBeVisible();
    const picture = await page.getByRole('heading', { level: 1 }).evaluate(pictureOf);
    expect(picture, 'the picture of a lost ticket').toContain('lost-ticket');
    await expect(page.getByRole('searchbox')).toHaveCount(0);
    await page.getByRole('link', { name: 'All merchants' }).click();
    await expect(page.getByRole('link', { name: /^Long Bench Noodle House/ })).toBeVisible();
  });
});

/** Returns the picture above a title, which is drawn by CSS. */
function pictureOf({ parentElement }: Element): string {
  return parentElement ? getComputedStyle(parentElement, '::before').maskImage : '';
}
