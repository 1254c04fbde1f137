import type { Page, Request } from '@playwright/test';
import { expect, test } from './fixtures';
import { operatorPaths, opsPage, signInOperator } from './ops-page';
import {
  expectNoShift,
  expectNoViolations,
  hasMoved,
  overflowOf,
  recordShifts,
  shareOf,
  smallTargetsOf,
} from './page-checks';

/** The paths of all pages, of the demo too, by their readers. `/ops` without a session is the form to sign in. */
const pages = {
  visitors: [
    '/',
    '/merchants',
    '/merchants/long-bench-noodles',
    '/merchants/unknown',
    '/no-such-page',
    '/wallet',
    '/sign-in',
    '/dev/mailbox',
    '/ops',
  ],
  lab: [
    '/lab',
    '/lab?section=mistakes',
    '/lab?section=storage',
    '/lab?section=ladder',
    '/lab?section=layers',
    '/lab?section=fairness',
    '/lab?section=examine',
    '/lab?section=fairness&step=8',
    '/lab?traffic=preset&preset=leaky-burst',
    '/lab/tour',
    '/lab/handout',
  ],
  operators: operatorPaths,
};

/** The sections of the lab, which fit on the screen of a laptop. */
const labSections = pages.lab.slice(0, 7);

/** Each opens all pages in full runs, and a third of them in `npm test`. */
const views = [
  { name: 'a Chinese phone', viewport: { width: 375, height: 812 }, language: 'zh', asOperator: false },
  // An operator has the widest header.
  { name: 'a tablet', viewport: { width: 768, height: 1_024 }, language: 'en', asOperator: true },
  { name: 'a laptop', viewport: { width: 1_440, height: 900 }, language: 'en', asOperator: false },
] as const;

/** An alert or a level that begins while a page loads moves it once. A fault of the page moves it on each load. */
const MAX_LOADS = 3;

/** WCAG 1.4.12: no content is lost with this spacing. */
const TEXT_SPACING = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
  p { margin-bottom: 2em !important; }
`;

/** The console shows 401 for a page of operators, and 404 for an unknown page. */
test.use({ expectedStatuses: [401, 404] });
test.describe.configure({ mode: 'parallel', timeout: 300_000 });

for (const [round, { name, viewport, language, asOperator }] of views.entries()) {
  for (const [readers, paths] of Object.entries(pages)) {
    test(`${readers}: on ${name}, no page moves, has an axe violation or small target, or scrolls sideways`, async ({
      page,
    }) => {
      if (asOperator || readers === 'operators') await signInOperator(page.request);
      await recordShifts(page);
      const settle = await watchLoads(page);
      for (const path of shareOf(paths, { round, rounds: views.length })) {
        const address = `${path}${path.includes('?') ? '&' : '?'}lang=${language}`;
        for (let load = 0; load < MAX_LOADS; load += 1) {
          await page.setViewportSize(viewport);
          await settle(address);
          if (!(await hasMoved(page))) break;
        }
        await expectNoShift(page);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.getByRole('main').locator('[aria-busy], [class*=skeleton]')).toHaveCount(0);
        await expectNoViolations(page);
        await expectFit(page, path);
      }
    });
  }
}

/** A level that was busy in an earlier test folds after a minute. Here, few tests were before. */
const FOLD_MS = 75_000;
const laptop = { width: 1_440, height: 900 };

test('the overview fits on a laptop and on two screens of a tablet and a phone, with health, alerts and levels', async ({
  page,
}) => {
  await page.setViewportSize(laptop);
  await opsPage(page).open('/ops');
  await expect(page.getByText('healthy').first()).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: /alerts|refuses/ })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Show \d+ quiet limits?$/ })).toBeVisible();
  const spark = page.getByRole('region', { name: 'Traffic' }).locator('svg, canvas').first();
  const heightOf = () => page.evaluate(() => document.documentElement.scrollHeight);
  for (const { viewport, screens } of [
    { viewport: laptop, screens: 1 },
    { viewport: { width: 768, height: 1_024 }, screens: 2 },
    { viewport: { width: 375, height: 812 }, screens: 2 },
  ]) {
    await page.setViewportSize(viewport);
    expect((await spark.boundingBox())?.width, 'ten minutes can be read').toBeGreaterThan(150);
    await expect.poll(heightOf, { timeout: FOLD_MS }).toBeLessThanOrEqual(screens * viewport.height);
    expect(await overflowOf(page)).toBe(0);
  }
});

/**
 * Expects that a page does not scroll sideways in any way of reading, that a finger meets each control of a phone, and that a
 * laptop shows a whole section of the lab.
 */
async function expectFit(page: Page, path: string): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await overflowOf(page), `${path} at 320 px`).toBe(0);
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await overflowOf(page), `${path} in forced colours`).toBe(0);
  await page.emulateMedia({ forcedColors: 'none' });
  await page.setViewportSize({ width: 375, height: 812 });
  expect(await smallTargetsOf(page), `${path} on a phone`).toEqual([]);
  await page.evaluate(addStyles, TEXT_SPACING);
  expect(await overflowOf(page), `${path} with text spacing`).toBe(0);
  await page.evaluate(addStyles, '');
  // A laptop of 1,440 by 900 pixels at 200 %.
  await page.setViewportSize({ width: 720, height: 450 });
  expect(await overflowOf(page), `${path} at 200 %`).toBe(0);
  if (!labSections.includes(path)) return;
  await page.setViewportSize({ width: 1_440, height: 900 });
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  expect(height, path).toBeLessThanOrEqual(900);
}

/**
 * Returns a function that opens a path and waits until all that loads late is drawn: fonts, scripts, replies, and the
 * first event of each stream. What arrives may load more, so two checks in a row must find nothing.
 */
async function watchLoads(page: Page): Promise<(path: string) => Promise<void>> {
  const loading = new Set<Request>();
  page.on('request', (request) => {
    if (request.resourceType() !== 'eventsource') loading.add(request);
  });
  page.on('requestfinished', (request) => loading.delete(request));
  page.on('requestfailed', (request) => loading.delete(request));
  await page.addInitScript(() => {
    let silent = 0;
    window.EventSource = new Proxy(EventSource, {
      construct(Source, address) {
        const source: EventSource = Reflect.construct(Source, address);
        Reflect.set(window, 'silentStreams', ++silent);
        const onFirst = (): void => void Reflect.set(window, 'silentStreams', --silent);
        for (const name of ['windows', 'ops']) source.addEventListener(name, onFirst, { once: true });
        return source;
      },
    });
  });
  const isQuiet = () => loading.size === 0 && page.evaluate('!window.silentStreams');

  return async function settle(path) {
    await page.goto(path);
    for (let quiet = 0; quiet < 2; ) {
      await page.evaluate(drawAll);
      quiet = (await isQuiet()) ? quiet + 1 : 0;
    }
  };
}

/** Waits in the page for its fonts, for a pause of its scripts, and for two frames. */
async function drawAll(): Promise<void> {
  await document.fonts.ready;
  await new Promise((resolve) => requestIdleCallback(resolve));
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}

/** Runs in the page: adds styles without an inline element, which the content security policy refuses. */
function addStyles(css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [sheet];
}
