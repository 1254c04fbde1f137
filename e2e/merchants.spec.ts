import type { Locator } from '@playwright/test';
import { expect, test } from './fixtures';

test.use({ expectedStatuses: [429] });

test('a visitor finds a merchant by typing and sees its coupons', async ({ page }) => {
  await page.goto('/merchants');
  await page.getByRole('searchbox', { name: 'Search merchants' }).fill('noodle');
  await expect(page.getByRole('status').filter({ hasText: '1 merchant' })).toBeVisible();

  await page.getByRole('link', { name: /^Long Bench Noodle House/ }).click();
  await expect(page.getByRole('heading', { name: 'Long Bench Noodle House' })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'hand-pulled noodles' })).toBeVisible();
});

for (const way of ['pointer', 'keyboard'] as const) {
  test(`a coupon of a merchant leads to its button on the sale page by ${way}`, async ({ page }) => {
    await page.goto('/merchants/long-bench-noodles');
    const link = page.getByRole('link', { name: 'Claim in sale Any bowl of hand-pulled noodles' });
    if (way === 'pointer') await link.click();
    else await link.press('Enter');
    const coupon = page.getByRole('article', { name: 'Any bowl of hand-pulled noodles' });
    await expect(coupon.getByRole('button', { name: /^Claim/ })).toBeInViewport({ ratio: 1 });
    if (way === 'keyboard') await expect(coupon, 'the next Tab is its link').toBeFocused();
  });
}

test('a search that is too fast is refused, then the same search is offered again', async ({ page }) => {
  await page.goto('/merchants');
  const search = page.getByRole('searchbox', { name: 'Search merchants' });
  const refusal = page.getByText('Limit for your network: 5 per second');
  await search.fill('noodle');

  const again = page.getByRole('button', { name: 'Search again for “noodle”' });
  await expect(async () => {
    for (let press = 0; press < 7; press += 1) await search.press('Enter');
    await expect(refusal).toBeVisible({ timeout: 1_000 });
    await expect(page.getByText('You can try again now.'), 'with an open button').toBeVisible({
      timeout: 2_500,
    });
    // On a slow machine, the last press may be admitted.
    await again.click({ timeout: 2_500 });
  }).toPass({ intervals: [0], timeout: 30_000 });

  await expect(refusal).toBeHidden();
  await expect(page.getByRole('link', { name: /^Long Bench Noodle House/ })).toBeVisible();
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 375, height: 812 } });

  test('the search is above the meter, and a refusal dims the last results', async ({ page }) => {
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
    await expect(async () => {
      for (let press = 0; press < 7; press += 1) await search.press('Enter');
      await expect(results).toHaveCSS('opacity', '0.7', { timeout: 800 });
    }).toPass({ intervals: [0], timeout: 30_000 });
    await expect(result, 'the last results stay').toBeVisible();
    await expect(page.getByText('These are the results of your search before this one.')).toBeVisible();
  });
});

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
