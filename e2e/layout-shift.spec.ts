import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { signInOperator } from './ops-page';

/** The maximum sum of all shifts of a load, without a unit. */
const MAX_SHIFT = 0.01;
/** Late scripts, fonts and the first events of the feeds arrive within this time after the load. */
const SETTLE_MS = 1_500;

const views = [
  { name: 'phone', viewport: { width: 375, height: 812 } },
  { name: 'laptop', viewport: { width: 1_440, height: 900 } },
];
const paths = [
  '/',
  '/merchants',
  '/wallet',
  '/sign-in',
  '/lab',
  '/lab?section=mistakes',
  '/lab?section=storage',
  '/lab?section=ladder',
  '/lab?section=layers',
];
const opsPaths = ['/ops', '/ops/steer', '/ops/who', '/ops/alerts', '/ops/sales'];

for (const { name, viewport } of views) {
  test.describe(name, () => {
    test.use({ viewport });

    test('no page moves while it loads', async ({ page }) => {
      await recordShifts(page);
      for (const path of paths) await expectStill(page, path);
    });

    test('no page of operators moves while it loads', async ({ page }) => {
      await signInOperator(page.request);
      await recordShifts(page);
      for (const path of opsPaths) await expectStill(page, path);
    });
  });
}

/** Collects the shifts of each page in `window.shifts`, each with the text of what moved. */
function recordShifts(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    const shifts: { value: number; moved: string[] }[] = [];
    Reflect.set(window, 'shifts', shifts);
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const sources: { node?: Node }[] = Reflect.get(entry, 'sources');
        const moved = sources.map(({ node }) => (node?.textContent ?? '').slice(0, 40));
        shifts.push({ value: Reflect.get(entry, 'value'), moved });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

async function expectStill(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.waitForTimeout(SETTLE_MS);
  const shifts: { value: number; moved: string[] }[] = await page.evaluate('window.shifts');
  const total = shifts.reduce((sum, { value }) => sum + value, 0);
  expect(total, `${path} ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(MAX_SHIFT);
}
