import { expect, phone, test } from './fixtures';
import { signInOperator } from './ops-page';
import { overflowOf } from './page-checks';
import { salePage, signInShopper } from './sale-page';

test.describe('on a phone', () => {
  test.use(phone);

  test('the button is within thumb reach, next to all of the coupon on the first screen, and one tap buys', async ({
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
      'pace of all': sale.gate.locator('[data-bar]').getByText('Everyone', { exact: true }),
    })) {
      await expect(part, name).toBeInViewport({ ratio: 1 });
    }
    await expect(sale.grab).toBeInViewport({ ratio: 1 });
    const box = await sale.grab.boundingBox();
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
    expect(box?.y, 'in the lower half').toBeGreaterThan(height / 2);
    expect(box?.height, 'as tall as a fingertip').toBeGreaterThanOrEqual(44);

    const bar = sale.gate.locator('[data-bar]');
    await expect(bar, 'before the first try').toContainText(/You\s*0 of 5 in 10\ss/);
    await page.setViewportSize({ width: 412, height });
    await expect(bar, 'with room for the name').toContainText(/Your tries\s*0 of 5 in 10\ss/);
    await page.setViewportSize({ width, height });
    await sale.grab.tap();
    // The call leaves the window after ten seconds, so each is awaited from the tap.
    await Promise.all([
      expect(sale.gate).toContainText('Held, pay within'),
      expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1'),
      expect(bar, 'both paces are next to the button').toContainText(/You\s*1 of 5 in 10\ss/),
      expect(bar).toContainText(/Everyone\s*\d+ of 100 in 10\ss/),
    ]);

    const claim = sale.coupon('Filter coffee before ten').getByRole('button');
    // Cards that come into view take their height.
    await expect(async () => {
      await claim.evaluate((button) => button.scrollIntoView({ block: 'center' }));
      await expect(claim).toBeInViewport({ ratio: 1, timeout: 500 });
    }).toPass();
    await expect(sale.next, 'one button for the coupon in view').not.toBeInViewport();
    await sale.gate.getByRole('heading').scrollIntoViewIfNeeded();
    await expect(sale.next, 'the next step is back with its coupon').toBeInViewport({ ratio: 1 });
  });

  test('the coupons are one list, and the meters follow it', async ({ page }) => {
    const sale = salePage(page);
    await sale.open();
    const coupons = await page.getByRole('main').getByRole('article').all();
    const tops = await Promise.all(coupons.map(async (coupon) => (await coupon.boundingBox())?.y ?? 0));
    expect((await sale.everyone.boundingBox())?.y).toBeGreaterThan(Math.max(...tops));
    const state = await sale.gate.getByText('On sale', { exact: true }).boundingBox();
    const title = await sale.gate.getByRole('heading').boundingBox();
    expect((state?.y ?? 0) + (state?.height ?? 0), 'the state is above the title').toBeLessThan(
      title?.y ?? 0,
    );
    const headOf = (whose: string) =>
      page.getByRole('region', { name: 'Grabbing' }).getByText(whose, { exact: true }).locator('xpath=..');
    const heights = await Promise.all(
      ['Your tries', 'Everyone’s tries'].map(
        async (whose) => (await headOf(whose).boundingBox())?.height ?? 0,
      ),
    );
    expect(Math.abs((heights[0] ?? 0) - (heights[1] ?? 0)), 'each count is next to its name').toBeLessThan(8);
  });

  test('no narrow frame cuts a picture at its sides', async ({ page }) => {
    for (const path of ['/', '/merchants', '/merchants/nine-pin-alley', '/wallet']) {
      await page.goto(path);
      const pictures = page.getByRole('main').locator('svg:has(> use):visible');
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
});

/** Runs in the page. A picture is 8:5; a higher box would cut it at its sides. */
function sizesOf(pictures: Element[]): { width: number; height: number }[] {
  return pictures
    .map((picture) => picture.getBoundingClientRect())
    .map(({ width, height }) => ({ width, height }));
}

test('no dialog scrolls sideways at 320 px', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await signInOperator(page.request);
  const dialog = page.getByRole('dialog');
  for (const [path, button] of [
    ['/', /^Send a crowd/],
    ['/ops/limits', /^Change Merchant search/],
    ['/ops/sales', /^New coupon/],
  ] as const) {
    await page.goto(path);
    await page.getByRole('button', { name: button }).first().click();
    await expect(dialog).toBeVisible();
    expect(await overflowOf(page), path).toBe(0);
    const overflow = await dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(overflow, `the dialog of ${path}`).toBe(0);
  }
});

for (const user of ['shopper', 'operator'] as const) {
  test(`the header of a signed-in ${user} has one line of links at every width`, async ({ page }) => {
    if (user === 'operator') await signInOperator(page.request);
    else await signInShopper(page);
    await page.goto('/wallet');
    const header = page.getByRole('banner');
    const links = header.getByRole('navigation').getByRole('link');
    await expect(header.getByRole('button', { name: /^Signed in as/ })).toBeVisible();
    for (const width of [320, 375, 767, 768, 800, 896, 1_024, 1_440]) {
      await page.setViewportSize({ width, height: 800 });
      const tops = await links.evaluateAll((all) => all.map((link) => link.getBoundingClientRect().top));
      expect(new Set(tops).size, `lines at ${width} px`).toBe(1);
      const [last, language] = [
        await links.last().boundingBox(),
        await header.getByText('中文').boundingBox(),
      ];
      if (!last || !language) throw new Error('The header has no links.');
      const isBeside = last.x + last.width <= language.x;
      const isBelow = last.y >= language.y + language.height;
      expect(isBeside || isBelow, `the links leave the tools free at ${width} px`).toBe(true);
    }
  });
}

test('the title has one line and the longest name of a demo user is not cut', async ({ page }) => {
  await signInShopper(page);
  await page.goto('/');
  const title = page.getByRole('heading', { level: 1 });
  const user = page.getByRole('button', { name: /^Signed in as/ });
  const name = (await user.locator('span').textContent()) ?? '';
  await page.route('/', async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    await route.fulfill({ response, body: html.replaceAll(name, 'Cheerful Dolphin 88888') });
  });
  await page.reload();
  await expect(user).toHaveText('Cheerful Dolphin 88888');
  for (const width of [320, 340, 360, 368, 375, 412, 416, 430, 480, 496, 767, 768, 896]) {
    await page.setViewportSize({ width, height: 640 });
    const lines = await title.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return range.getClientRects().length;
    });
    expect(lines, `lines at ${width} px`).toBe(1);
    const overflow = await user
      .locator('span')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(overflow, `at ${width} px`).toBe(0);
  }
});

test.describe('a phone on its side', () => {
  test.use({ viewport: { width: 667, height: 375 } });

  test('the bar with the button leaves most of the screen to the page', async ({ page }) => {
    await page.goto('/');
    const bar = page.locator('[data-bar="true"]');
    await expect(bar).toContainText(/Everyone\s*\d+ of 100 in 10\ss/);
    await expect(bar.getByText(/^Charcoal hotpot/), 'the bar names its coupon').toBeVisible();
    await expect(bar.getByText('€9.90')).toBeVisible();
    const box = await bar.boundingBox();
    expect(box?.height).toBeLessThanOrEqual(64);
    const own = await bar.getByText('You', { exact: true }).locator('xpath=..').boundingBox();
    const pace = await bar.getByText('Everyone', { exact: true }).locator('xpath=..').boundingBox();
    const gap = (pace?.x ?? 0) - (own?.x ?? 0) - (own?.width ?? 0);
    expect(gap, 'two separate paces').toBeGreaterThanOrEqual(16);
    const grab = await bar.getByRole('button').boundingBox();
    expect((pace?.x ?? 0) + (pace?.width ?? 0), 'the button covers no number').toBeLessThanOrEqual(
      grab?.x ?? 0,
    );
  });
});

test.describe('forced colours', () => {
  test.use({ forcedColors: 'active' });

  test('the theme has a picture, and a choice shows what is chosen', async ({ page }) => {
    await page.goto('/lab');
    const picture = page.getByRole('button', { name: /^Theme/ }).locator('span');
    const canvas = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await expect(picture).not.toHaveCSS('background-color', canvas);
    const [chosen, other] = [page.getByText('Burst at the edge'), page.getByText('Steady', { exact: true })];
    const colourOf = (face: typeof chosen) =>
      face.locator('xpath=..').evaluate((element) => getComputedStyle(element).backgroundColor);
    // A colour that changes passes through others.
    await expect.poll(async () => (await colourOf(chosen)) !== (await colourOf(other))).toBe(true);
  });
});
