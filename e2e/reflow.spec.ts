import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { signInOperator } from './ops-page';
import { pagePaths } from './page-paths';
import { signInShopper } from './sale-page';

/** WCAG 1.4.12: no content is lost with this spacing. */
const TEXT_SPACING = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
  p { margin-bottom: 2em !important; }
`;

interface Mode {
  name: string;
  enter(page: Page): Promise<unknown>;
}

/** Narrow ways to see a page. Each starts from the page of the one before. */
const modes: Mode[] = [
  { name: 'in forced colours', enter: (page) => page.emulateMedia({ forcedColors: 'active' }) },
  {
    name: 'with text spacing',
    async enter(page) {
      await page.emulateMedia({ forcedColors: 'none' });
      await page.setViewportSize({ width: 375, height: 812 });
      await addStyles(page, TEXT_SPACING);
    },
  },
  {
    // A window of 1,440 by 900 pixels.
    name: 'at 200 %',
    async enter(page) {
      await removeStyles(page);
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('Emulation.setDeviceMetricsOverride', {
        width: 720,
        height: 450,
        deviceScaleFactor: 2,
        mobile: false,
      });
    },
  },
];

/** The console shows 404 for an unknown page. */
test.use({ expectedStatuses: [404] });

for (const [owner, list] of Object.entries(pagePaths)) {
  test(`${owner}: no page scrolls sideways at 320 px, ${modes.map(({ name }) => name).join(', ')}, with the widest header`, async ({
    page,
  }) => {
    await signInOperator(page.request);
    for (const path of list) {
      await page.emulateMedia({ forcedColors: 'none' });
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await overflowOf(page), `${path} at 320 px`).toBe(0);
      for (const { name, enter } of modes) {
        await enter(page);
        expect(await overflowOf(page), `${path} ${name}`).toBe(0);
      }
    }
  });
}

test('no dialog scrolls sideways at 320 px', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await signInOperator(page.request);
  const dialog = page.getByRole('dialog');
  for (const [path, button] of [
    ['/', /^Try the flood/],
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
  await expect(user).toBeVisible();
  await user.locator('span').evaluate((name) => {
    name.textContent = 'Cheerful Dolphin 88888';
  });
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
    const bar = page.locator('[data-bar]');
    await expect(bar).toContainText(/All\s*\d+ \/ 100 per 10\ss/);
    await expect(bar.getByText(/^Charcoal hotpot/), 'the bar names its coupon').toBeVisible();
    await expect(bar.getByText('€9.90')).toBeVisible();
    const box = await bar.boundingBox();
    expect(box?.height).toBeLessThanOrEqual(64);
    const own = await bar.getByText('You', { exact: true }).locator('xpath=..').boundingBox();
    const pace = await bar.getByText('All', { exact: true }).locator('xpath=..').boundingBox();
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

/** Returns by how many pixels a page is too wide, when it has been drawn in its size. */
function overflowOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    // A part that measures itself changes in the frame after.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
}

/** Adds styles without an inline element, which the content security policy refuses. */
function addStyles(page: Page, css: string): Promise<void> {
  return page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [sheet];
  }, css);
}

function removeStyles(page: Page): Promise<void> {
  return page.evaluate(() => {
    document.adoptedStyleSheets = [];
  });
}
