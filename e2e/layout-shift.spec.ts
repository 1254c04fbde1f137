import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { signInOperator } from './ops-page';
import { salePage } from './sale-page';

/** The maximum sum of all shifts of a load, without a unit. */
const MAX_SHIFT = 0.01;
/** Late scripts, fonts and the first events of the feeds arrive within this time after the load. */
const SETTLE_MS = 1_500;

/** The console shows 400 for a wrong code. */
test.use({ expectedStatuses: [400] });

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

/** Each fills in a form and waits for its reply. */
const forms: { path: string; act(page: Page): Promise<void> }[] = [
  {
    path: '/sign-in',
    async act(page) {
      await page.getByLabel('E-mail address').fill(`li-${Date.now()}@example.com`);
      await page.getByRole('button', { name: 'Send me a code' }).click();
      const code = page.getByRole('textbox', { name: /^Code for/ });
      await expect(code).toBeFocused();
      await expect(page.getByRole('meter').first()).toBeVisible();
      await code.fill('000000');
      await code.press('Enter');
      await expect(page.getByText(/^That code didn’t work/)).toBeVisible();
    },
  },
  {
    path: '/merchants',
    async act(page) {
      await page.getByRole('searchbox').fill('no such place');
      await expect(page.getByRole('button', { name: 'Show all' })).toBeVisible();
    },
  },
  {
    path: '/lab',
    async act(page) {
      await expect(page, 'the form reacts').toHaveURL(/traffic=edge/);
      await page.getByLabel('Limit (calls)').fill('12');
      await expect(page).toHaveURL(/limit=12/);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect(page.getByRole('heading', { name: 'Keys in Redis' })).toBeVisible();
    },
  },
  {
    path: '/lab?section=layers',
    async act(page) {
      // The first click may be before the page is interactive.
      await expect(async () => {
        await page.getByRole('button', { name: 'Send calls' }).click();
        await expect(page.getByText(/^\d+ passed/).first()).toBeVisible({ timeout: 3_000 });
      }).toPass();
    },
  },
  {
    path: '/',
    async act(page) {
      const { openDock, grab } = salePage(page);
      await openDock();
      await expect(grab).toBeVisible();
    },
  },
];

for (const { name, viewport } of views) {
  test.describe(name, () => {
    test.use({ viewport });

    test('no page moves while it loads', async ({ page }) => {
      await recordShifts(page);
      for (const path of paths) await expectStill(page, path);
    });

    test('no page of operators moves while it loads', async ({ page }) => {
      await signInOperator(page.request);
      // The sign-in makes its level busy: its row appears, and ten seconds later it sinks.
      await page.goto('/ops');
      const signIn = page.getByRole('row', { name: 'auth.signInDemo' });
      await expect(signIn).toContainText('/ 6000.1 admitted');
      await expect(signIn).toContainText('/ 6000 admitted', { timeout: 20_000 });
      await recordShifts(page);
      for (const path of opsPaths) await expectStill(page, path);
    });

    test('no page moves when a form or a dialog opens, or a reply arrives', async ({ page }) => {
      await recordShifts(page);
      for (const { path, act } of forms) {
        await page.goto(path);
        await act(page);
        await expectNoShift(page, path);
      }
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
        // A page may answer a click by moving, as browsers count, but not a reply that arrives later.
        if (Reflect.get(entry, 'hadRecentInput')) continue;
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
  await expectNoShift(page, path);
}

async function expectNoShift(page: Page, path: string): Promise<void> {
  const shifts: { value: number; moved: string[] }[] = await page.evaluate('window.shifts');
  const total = shifts.reduce((sum, { value }) => sum + value, 0);
  expect(total, `${path} ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(MAX_SHIFT);
}
