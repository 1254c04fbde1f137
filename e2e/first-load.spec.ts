import { entryRoutes, firstLoadScripts } from '../scripts/lib/first-load.mjs';
import { expect, test } from './fixtures';

test('the served HTML loads exactly the scripts of the budget', async ({ request }) => {
  for (const route of entryRoutes) {
    const html = await (await request.get(route)).text();
    const tags = [...html.matchAll(/<script\b[^>]*\bsrc="\/_next\/([^"]+)"[^>]*>/g)];
    const served = tags.filter(([tag]) => !/\bnomodule\b/i.test(tag)).map(([, path]) => path);
    expect(served.toSorted(), route).toEqual(firstLoadScripts(route).toSorted());
  }
});

test('the icon is also at /favicon.ico', async ({ request }) => {
  const icon = await request.get('/favicon.ico');
  expect(icon.status()).toBe(200);
  expect(icon.headers()['content-type']).toBe('image/x-icon');
});

test('the sale shows its numbers without a number formatter, whose first use blocks a phone for 0.1 s', async ({
  page,
}) => {
  await page.addInitScript(() => {
    Intl.NumberFormat = new Proxy(Intl.NumberFormat, {
      construct(target, options) {
        document.documentElement.dataset.formatter = JSON.stringify(options);
        return Reflect.construct(target, options);
      },
    });
  });
  await page.goto('/');
  await expect(page.getByText(/ of 10,000 left/)).toBeVisible();
  await expect(page.getByRole('meter', { name: 'Everyone’s pace' }).first()).toBeVisible();
  await expect(page.locator('html')).not.toHaveAttribute('data-formatter');
});

test('a visitor who reads one page requests no other page', async ({ page }) => {
  const prefetched: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('_rsc=')) prefetched.push(request.url());
  });
  await page.goto('/');
  await expect(page.getByRole('meter', { name: 'Everyone’s pace' }).first()).toBeVisible();
  await page.goto('/lab', { waitUntil: 'networkidle' });
  expect(prefetched).toEqual([]);
});

test('the served HTML states the exact rule, not that there is none', async ({ request }) => {
  const html = await (await request.get('/')).text();
  const [, rule = ''] = html.split('<summary>The exact rule</summary>');
  const text = rule.slice(0, 600).replaceAll(/<[^>]*>/g, '');
  expect(text).toMatch(/^Up to 100 grabs in any 10\sseconds, 5\stries per shopper\./);
  expect(text).toContain('Each try counts for exactly that long');
});
