import { readFile } from 'node:fs/promises';
import { expect } from './fixtures';
import { opsPage, signInOperator } from './ops-page';
import { test } from './own-floodgate';
import { expectNoViolations } from './page-checks';
import { findLiveCoupon } from './sale-page';

test.use({ expectedStatuses: [400] });

/** The height of 20 coupons on a phone. */
const MAX_PHONE_HEIGHT_PX = 4_300;

test('refused input is explained in the language of the page', async ({ page }) => {
  await opsPage(page).open('/ops/sales');
  await page.goto('/ops/sales?lang=zh');
  const main = page.getByRole('main');
  await main.getByRole('button', { name: '新建优惠券' }).click();
  const form = page.getByRole('dialog', { name: '新建优惠券' }).getByRole('form');
  await form.getByLabel('英文标题').fill('Soup at noon');
  await form.getByLabel('中文标题').fill('午'.repeat(81));
  await form.getByLabel('面值').fill('8');
  await form.getByLabel('价格').fill('9.50');
  await form.getByLabel('库存').fill('500');
  await form.getByRole('button', { name: '创建' }).click();
  await expect(form.getByLabel('中文标题')).toHaveAccessibleDescription('最多 80 个字符。');
  await form.getByLabel('中文标题').fill('午间例汤');
  await form.getByRole('button', { name: '创建' }).click();
  await expect(form.getByLabel('价格')).toHaveAccessibleDescription('面值 €8 的券，价格不能高于面值。');

  await page.goto('/ops/limits');
  await main.getByRole('button', { name: '调整限额：随时领取，每位买家' }).click();
  const limit = page.getByRole('dialog').getByLabel('限额（次）');
  await limit.fill('2000000');
  await expect(limit).toHaveAccessibleDescription('当前 3 须在 1 至 1,000,000 之间。');
});

test('a sale is created, edited, restocked and closed, and shoppers see each change', async ({
  page,
  otherPage: shopper,
}) => {
  await opsPage(page).open('/ops/sales');
  const main = page.getByRole('main');
  const create = main.getByRole('button', { name: 'New coupon' });
  const coupons = main.getByRole('table', { name: 'Coupons' });
  const row = coupons.getByRole('row', { name: /^Soup at noon/ });

  await test.step('invalid input is explained next to its field', async () => {
    await create.click();
    const dialog = page.getByRole('dialog', { name: 'New coupon' });
    const form = dialog.getByRole('form');
    await expect(form.getByLabel('Title in English')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(create).toBeFocused();
    await create.click();
    await form.getByRole('button', { name: 'Create' }).click();
    await expect(form.getByLabel('Title in English')).toHaveAccessibleDescription('Enter a title.');
    await expectNoViolations(page);
    await form.getByLabel('Title in English').fill('Soup at noon');
    await form.getByRole('button', { name: 'Create' }).click();
    await expect(form.getByLabel('Value (€)')).toHaveAccessibleDescription(
      'Enter an amount, such as 12 or 12.50.',
    );
    await form.getByLabel('Title in Chinese').fill('午间例汤');
    await form.getByLabel('Value (€)').fill('8');
    await form.getByLabel('Price (€)').fill('9.50');
    await form.getByLabel('Stock').fill('500');
    await form.getByRole('button', { name: 'Create' }).click();
    await expect(form.getByLabel('Price (€)')).toHaveAccessibleDescription(/price cannot exceed the value/);
    await form.getByLabel('Price (€)').fill('4.50');
    await form.getByRole('button', { name: 'Create' }).click();
    await expect(main.getByText('“Soup at noon” was created.')).toBeVisible();
    await expect(create).toBeFocused();
  });
  await expect(row).toContainText('0 of 500');
  await expect(row).toContainText('€4.50');
  await shopper.goto('/?lang=zh');
  await expect(shopper.getByRole('article', { name: '午间例汤' })).toBeVisible();

  await row.getByRole('button', { name: 'Add stock to “Soup at noon”' }).click();
  await page.getByRole('dialog').getByLabel('Coupons to add').fill('20');
  await page.keyboard.press('Enter');
  await expect(main.getByText('“Soup at noon” has 20 more coupons.')).toBeVisible();
  await expect(row).toContainText('0 of 520');

  await row.getByRole('button', { name: 'Edit “Soup at noon”' }).click();
  await page.getByRole('dialog').getByLabel('Title in English').fill('Soup at noon, with bread');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(main.getByText('“Soup at noon, with bread” was changed.')).toBeVisible();

  const close = row.getByRole('button', { name: /^Cancel sale/ });
  const dialog = page.getByRole('dialog');
  await test.step('Enter, Enter closes nothing', async () => {
    await close.press('Enter');
    await expect(dialog).toContainText('It will not open.');
    await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await expect(close).toBeFocused();
    await expect(row).not.toContainText('Ended');
  });
  await close.click();
  await dialog.getByRole('button', { name: 'Cancel the sale' }).click();
  await expect(dialog).toBeHidden();
  await expect(row).toContainText('Ended');
  await expect(row.getByRole('cell', { name: 'Never opened' }), 'instead of a start').toBeVisible();
  await expect(row.getByRole('button')).toHaveCount(0);
  await expect(
    main.getByRole('status').filter({ hasText: 'was cancelled' }),
    'a place for the focus',
  ).toBeFocused();
  await shopper.goto('/?lang=en');
  await expect(shopper.getByRole('article', { name: /^Soup at noon/ }).getByRole('button')).toHaveText(
    'Ended',
  );
});

test('long lists have 20 rows a page, the year of another year, and a CSV file of all rows', async ({
  page,
}) => {
  await page.setViewportSize({ width: 768, height: 1024 });
  await opsPage(page).open('/ops/sales');
  const { merchants } = (await (await page.request.get('/api/trpc/ops.merchants')).json()).result.data;
  const now = Date.now();
  for (let index = 0; index < 25; index += 1) {
    const coupon = {
      ...{ merchantId: merchants[0].id, kind: 'claim', title: { en: `Tea, ${index}`, zh: `茶${index}` } },
      ...{ faceValueCents: 500, priceCents: 0, startsAt: now, endsAt: now + 400 * 86_400_000 - index },
    };
    expect((await page.request.post('/api/trpc/coupon.create', { data: coupon })).status()).toBe(200);
  }
  await page.reload();
  const main = page.getByRole('main');
  const table = main.getByRole('table', { name: 'Coupons' });
  const rows = table.getByRole('rowheader');
  await expect(rows).toHaveCount(20);
  const nextYear = String(new Date(now + 400 * 86_400_000).getFullYear());
  await expect(table.getByRole('row', { name: /^Tea, 24/ })).toContainText(nextYear);

  const pages = main.getByRole('navigation', { name: 'Pages of Coupons' });
  await pages.getByRole('button', { name: 'Next' }).click();
  await expect(pages, 'the number of all rows, when all are read').toContainText(/–\d+ of \d+/);
  const [, total] = /of (\d+)/.exec((await pages.textContent()) ?? '') ?? [];
  await expect(rows).toHaveCount(Math.min(20, Number(total) - 20));
  await expect(pages.getByRole('button', { name: 'Next' })).toBeFocused();

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    main.getByRole('button', { name: 'Download CSV: Coupons' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('floodgate-coupons.csv');
  const lines = (await readFile(await download.path(), 'utf8')).split('\r\n');
  expect(lines[0]).toBe('\ufeffCoupon,Merchant,State,Sold,Stock,Price (EUR),Value (EUR),Starts,Ends');
  // The last one ends first.
  expect(lines.find((line) => line.startsWith('"Tea, 24"'))).toMatch(
    /^"Tea, 24",[^,]+,On sale,0,,0\.00,5\.00,\d{4}-/,
  );
  expect(lines).toHaveLength(Number(total) + 2);

  const isScrolling = (name: string) =>
    main
      .getByRole('table', { name })
      .evaluate(({ parentElement }) => (parentElement?.scrollWidth ?? 0) > (parentElement?.clientWidth ?? 0));
  for (const name of ['Coupons', 'Orders']) {
    expect(await isScrolling(name), name).toBe(false);
  }
  await expect(main, 'an empty list is one line').toContainText('No refund is due.');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(768);

  await page.setViewportSize({ width: 375, height: 812 });
  // Without the lists below, whose rows are those of earlier tests.
  const heightOf = () => table.evaluate((element) => element.clientHeight);
  await expect.poll(heightOf, '20 coupons on a phone').toBeLessThan(MAX_PHONE_HEIGHT_PX);
});

test('without orders the list says so, and a status without orders is named', async ({ page }) => {
  await page.route('**/api/trpc/*ops.orders*', async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    for (const { result } of [json].flat()) {
      if (result?.data.orders) result.data = { orders: [] };
    }
    await route.fulfill({ response, json });
  });
  await opsPage(page).open('/ops/sales');
  const orders = page.getByRole('region', { name: 'Orders' });
  await orders.getByRole('radio', { name: 'Cancelled' }).check({ force: true });
  await expect(orders).toContainText('No orders with this status.');
  await orders.getByRole('radio', { name: 'All' }).check({ force: true });
  // A claim makes the page read the orders again.
  const couponId = await findLiveCoupon(page.request, 'claim');
  expect((await page.request.post('/api/trpc/coupon.claim', { data: { couponId } })).status()).toBe(200);
  await expect(orders).toContainText('No orders yet.');
  await expect(orders).not.toContainText('with this status');
});

test('a merchant has its picture, and its open coupons come before ended ones', async ({ page }) => {
  await signInOperator(page.request);
  const { merchants } = (await (await page.request.get('/api/trpc/ops.merchants')).json()).result.data;
  const now = Date.now();
  for (const title of ['Tea, ended', 'Tea, open']) {
    const created = await page.request.post('/api/trpc/coupon.create', {
      data: {
        ...{ merchantId: merchants[1].id, kind: 'claim', title: { en: title, zh: title } },
        ...{ faceValueCents: 500, priceCents: 0, startsAt: now, endsAt: now + 86_400_000 },
      },
    });
    const { coupon } = (await created.json()).result.data;
    if (title !== 'Tea, ended') continue;
    expect((await page.request.post('/api/trpc/coupon.close', { data: { id: coupon.id } })).status()).toBe(
      200,
    );
  }
  await page.goto(`/merchants/${merchants[1].id}`);
  const main = page.getByRole('main');
  await expect(main.getByRole('region', { name: 'Current coupons' })).toContainText('Tea, open');
  await expect(main.getByRole('region', { name: 'Sold out or ended' })).toContainText('Tea, ended');
  const titles = await main.getByRole('heading', { level: 2 }).allTextContents();
  expect(titles.indexOf('Current coupons')).toBeLessThan(titles.indexOf('Sold out or ended'));
  await expect(main.locator('svg:has(> use)').first()).toBeVisible();
});

test('names have room on a laptop, and actions end at the edge of the badge on a card', async ({
  page,
  floodgate,
}) => {
  await floodgate.addSale('Wide names', { opensInMs: 0 });
  await opsPage(page).open('/ops/sales');
  const coupons = page.getByRole('main').getByRole('table', { name: 'Coupons' });
  const row = coupons
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: 'Add stock to “Wide names”' }) });
  const actions = row.getByRole('button');
  await page.setViewportSize({ width: 1_440, height: 900 });
  await expect(actions).toHaveCount(3);
  const name = await row
    .getByRole('rowheader')
    .locator('> span')
    .evaluate((element) => element.clientWidth);
  expect(name).toBeGreaterThanOrEqual(12 * 16);
  const tops = await actions.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
  expect(new Set(tops).size, 'one line').toBe(1);
  for (const width of [768, 375]) {
    await page.setViewportSize({ width, height: 812 });
    const badge = await row
      .getByRole('cell')
      .first()
      .locator('span')
      .evaluate((one) => one.getBoundingClientRect().right);
    const textEnd = await actions.last().evaluate((one) => {
      return one.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(one).paddingRight);
    });
    expect(Math.abs(textEnd - badge), `${width} px`).toBeLessThanOrEqual(2);
  }
  await floodgate.endSale('Wide names');
});
