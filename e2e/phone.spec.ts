import { devices } from '@playwright/test';
import { expect, test } from './fixtures';
import { callSeckill, press, salePage, signInShopper } from './sale-page';

const { defaultBrowserType: _, ...phone } = devices['iPhone SE'] ?? {};
test.use(phone);

test('on a phone the button is within thumb reach, and one tap buys', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await expect(sale.grab).toBeInViewport({ ratio: 1 });
  const box = await sale.grab.boundingBox();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  expect(box?.y, 'in the lower half').toBeGreaterThan(height / 2);
  expect(box?.height, 'as tall as a fingertip').toBeGreaterThanOrEqual(44);

  const bar = sale.gate.locator('[data-bar]');
  await expect(bar, 'before the first try').toContainText(/You\s*0 \/ 5 per 10\ss/);
  await page.setViewportSize({ width: 412, height });
  await expect(bar, 'with room for the name').toContainText(/Your pace\s*0 \/ 5 per 10\ss/);
  await page.setViewportSize({ width, height });
  await sale.grab.tap();
  // The call leaves the window after ten seconds, so each is awaited from the tap.
  await Promise.all([
    expect(sale.gate).toContainText('Held, pay within'),
    expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1'),
    expect(bar, 'both paces are next to the button').toContainText(/You\s*1 \/ 5 per 10\ss/),
    expect(bar).toContainText(/All\s*\d+ \/ 100 per 10\ss/),
  ]);

  await sale.coupon('Filter coffee before ten').scrollIntoViewIfNeeded();
  await expect(sale.next, 'the next step stays within reach').toBeInViewport({ ratio: 1 });
});

test('the first screen of a phone has the coupon, its picture, its button and both paces', async ({
  page,
}) => {
  const sale = salePage(page);
  await sale.open();
  for (const [name, part] of Object.entries({
    title: sale.gate.getByRole('heading'),
    picture: sale.gate.locator('svg:has(> use)').first(),
    price: sale.gate.getByText(/^€\d/).first(),
    button: sale.grab,
    'own pace': sale.gate.locator('[data-bar]').getByText('You', { exact: true }),
    'pace of all': sale.gate.locator('[data-bar]').getByText('All', { exact: true }),
  })) {
    await expect(part, name).toBeInViewport({ ratio: 1 });
  }
});

test.describe('a refusal', () => {
  test.use({ expectedStatuses: [429] });

  test('on a phone a card grows with its result', async ({ page }) => {
    await signInShopper(page);
    const sale = salePage(page);
    await sale.open();
    const card = sale.coupon(/^Bean of the week/);
    const before = (await card.boundingBox())?.height ?? 0;
    await card.getByRole('button').first().scrollIntoViewIfNeeded();
    // The press must follow within the window of ten seconds.
    await callSeckill(page, 'closed', 5);
    await press(card.getByRole('button').first(), 'coupon.seckill');
    const why = card.getByText('Why?');
    const barTop = (await sale.gate.locator('[data-bar]').boundingBox())?.y ?? 0;
    await expect(async () => {
      const { y, height } = (await why.boundingBox()) ?? { y: 0, height: barTop + 1 };
      expect(y + height, 'the bar does not cover the note').toBeLessThanOrEqual(barTop);
    }).toPass({ timeout: 20_000 });
    await why.click();
    await expect(card.getByText('Room again')).toBeVisible();
    const box = await card.boundingBox();
    expect(box?.height).toBeGreaterThan(before + 100);
    const note = await card.getByRole('status').boundingBox();
    expect((note?.y ?? 0) + (note?.height ?? 0), 'nothing is cut').toBeLessThanOrEqual(
      (box?.y ?? 0) + (box?.height ?? 0),
    );
  });
});

test('on a phone the coupons are one list, and the meters follow it', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  const coupons = await page.getByRole('main').getByRole('article').all();
  const tops = await Promise.all(coupons.map(async (coupon) => (await coupon.boundingBox())?.y ?? 0));
  expect((await sale.everyone.boundingBox())?.y).toBeGreaterThan(Math.max(...tops));
  const state = await sale.gate.getByText('On sale', { exact: true }).boundingBox();
  const title = await sale.gate.getByRole('heading').boundingBox();
  expect((state?.y ?? 0) + (state?.height ?? 0), 'the state is above the title').toBeLessThan(title?.y ?? 0);
  const headOf = (whose: string) =>
    page.getByRole('region', { name: 'Grabbing' }).getByText(whose, { exact: true }).locator('xpath=..');
  const heights = await Promise.all(
    ['Your pace', 'Everyone’s pace'].map(async (whose) => (await headOf(whose).boundingBox())?.height ?? 0),
  );
  expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0)), 'each count is next to its name').toBeLessThan(8);
});

for (const language of ['en', 'zh']) {
  test(`no page in ${language} scrolls sideways`, async ({ page }) => {
    for (const path of [
      '/',
      '/merchants',
      '/merchants/long-bench-noodles',
      '/wallet',
      '/sign-in',
      '/lab',
      '/lab/handout',
    ]) {
      await page.goto(`${path}?lang=${language}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, path).toBe(0);
    }
  });
}

test('no narrow frame cuts a picture at its sides', async ({ page }) => {
  for (const path of ['/', '/merchants', '/merchants/nine-pin-alley', '/wallet']) {
    await page.goto(path);
    const pictures = page.getByRole('main').locator('svg:has(> use)');
    await expect(pictures.first()).toBeVisible();
    let sizes: ReturnType<typeof sizesOf> = [];
    // A list that is replaced has pictures without a size for a moment.
    await expect(async () => {
      sizes = await pictures.evaluateAll(sizesOf);
      expect(sizes.filter(({ width, height }) => width * height === 0)).toEqual([]);
    }).toPass({ timeout: 5_000 });
    for (const { width, height } of sizes) expect(width / height, path).toBeGreaterThanOrEqual(1.59);
  }
});

/** Runs in the page. A picture is 8:5; a higher box would cut it at its sides. */
function sizesOf(pictures: Element[]): { width: number; height: number }[] {
  return pictures
    .map((picture) => picture.getBoundingClientRect())
    .map(({ width, height }) => ({ width, height }));
}
