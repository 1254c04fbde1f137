import type { Page, Request, ViewportSize } from '@playwright/test';
import { expect, test } from './fixtures';
import { findLiveCoupon } from './live-coupon';
import { opsPage, signInOperator } from './ops-page';
import { pagePaths } from './page-paths';
import { expectNoShift, MAX_SHIFT, recordShifts, shiftsOf, totalOf } from './page-shifts';
import { salePage, signInShopper } from './sale-page';

/** The console shows 400 for a wrong code and 404 for an unknown page. */
test.use({ expectedStatuses: [400, 404] });

const views = [
  { name: 'phone', viewport: { width: 375, height: 812 } },
  { name: 'tablet', viewport: { width: 768, height: 1_024 } },
  { name: 'laptop', viewport: { width: 1_440, height: 900 } },
];
const paths = [...pagePaths.visitors, ...pagePaths.lab];
/** Pages that load at the same time in tabs, so that they settle together. */
const TABS = 3;

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
      // The first input may be before the form reacts.
      await expect(async () => {
        await page.getByLabel('Limit (calls)').fill('11');
        await page.getByLabel('Limit (calls)').fill('12');
        await expect(page).toHaveURL(/limit=12/, { timeout: 1_000 });
      }).toPass();
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
  {
    path: '/wallet',
    async act(page) {
      await signInShopper(page);
      const couponId = await findLiveCoupon(page.request, 'seckill');
      const bought = await page.request.post('/api/trpc/coupon.seckill', { data: { couponId } });
      expect(bought.status()).toBe(200);
      await page.reload();
      await page.getByRole('button', { name: 'Cancel order' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    },
  },
];
/** Dialogs of operators. */
const opsForms: typeof forms = [
  {
    path: '/ops/limits',
    async act(page) {
      await opsPage(page).openLimit('merchant', 'Each IP address');
    },
  },
  {
    path: '/ops/sales',
    async act(page) {
      await page.getByRole('button', { name: 'New coupon' }).click();
      await expect(page.getByLabel('Title in English')).toBeFocused();
      await page.getByRole('button', { name: 'Create' }).click();
      await expect(page.getByLabel('Title in English')).toHaveAccessibleDescription('Enter a title.');
    },
  },
];

for (const { name, viewport } of views) {
  test.describe(name, () => {
    test.use({ viewport });

    test('no page moves while it loads', async ({ page, watchConsole }) => {
      await expectStill({ page, viewport, watchConsole, paths });
    });

    test('no page moves when a form or a dialog opens, or a reply arrives', async ({ page }) => {
      await expectStillForms(page, forms);
    });

    test('no page of operators moves when a dialog opens', async ({ page }) => {
      await signInOperator(page.request);
      await expectStillForms(page, opsForms);
    });
  });
}

test('no page of operators moves while it loads', async ({ page, watchConsole }) => {
  test.setTimeout(90_000);
  await signInOperator(page.request);
  // This sign-in, and those of earlier tests, make its level busy: its row appears, and ten seconds later it sinks.
  await page.goto('/ops');
  const signIn = page.getByRole('row', { name: 'auth.signInDemo' });
  await expect(signIn).toContainText(/[1-9]\/s admitted/);
  await expect(signIn).toContainText(/\D0\/s admitted/, { timeout: 20_000 });
  for (const { viewport } of views) {
    await expectStill({ page, viewport, watchConsole, paths: pagePaths.operators });
  }
});

async function expectStillForms(page: Page, all: typeof forms): Promise<void> {
  await recordShifts(page);
  for (const { path, act } of all) {
    await page.goto(path);
    await act(page);
    await expectNoShift(page, path);
  }
}

interface Loads {
  /** Its context is that of all tabs. */
  page: Page;
  viewport: ViewportSize;
  watchConsole(page: Page): void;
  paths: readonly string[];
}

async function expectStill({ page, viewport, watchConsole, paths: all }: Loads): Promise<void> {
  const tabs = await Promise.all(
    Array.from({ length: TABS }, async () => {
      const tab = await page.context().newPage();
      watchConsole(tab);
      await tab.setViewportSize(viewport);
      await recordShifts(tab);
      const settle = await watchLoads(tab);
      // Without locks, each tab has its own live stream, as a single tab has.
      await tab.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'locks'));
      return { tab, settle };
    }),
  );
  const left = [...all];
  await Promise.all(
    tabs.map(async ({ tab, settle }) => {
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        await settle(path);
        // An alert or a level that begins while the page loads moves it once. A fault of the page moves it on each load.
        if (totalOf(await shiftsOf(tab)) > MAX_SHIFT) await settle(path);
        await expectNoShift(tab, path);
      }
      await tab.close();
    }),
  );
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
