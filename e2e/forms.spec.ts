import type { Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { opsPage, signInOperator } from './ops-page';
import { expectNoShift, recordShifts, shareOf } from './page-checks';
import { findLiveCoupon, salePage, signInShopper } from './sale-page';

/** The console shows 400 for a wrong code. */
test.use({ expectedStatuses: [400] });

interface Form {
  path: string;
  act(page: Page): Promise<void>;
}

/** Each fills in a form and waits for its reply. */
const forms: Form[] = [
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
      // The meter above the list is loaded before the first result.
      await expect(page.getByText(/\d+ merchants$/)).toBeVisible();
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
const opsForms: Form[] = [
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

const screens = [
  ['a phone', { width: 375, height: 812 }],
  ['a tablet', { width: 768, height: 1_024 }],
  ['a laptop', { width: 1_440, height: 900 }],
] as const;

for (const [round, [name, viewport]] of screens.entries()) {
  test(`on ${name} no page moves when a form or a dialog opens, or a reply arrives`, async ({ page }) => {
    await page.setViewportSize(viewport);
    await recordShifts(page);
    const rounds = screens.length;
    await expectStill(page, shareOf(forms, { round, rounds }));
    await signInOperator(page.request);
    await expectStill(page, shareOf(opsForms, { round, rounds }));
  });
}

async function expectStill(page: Page, all: readonly Form[]): Promise<void> {
  for (const { path, act } of all) {
    await page.goto(path);
    await act(page);
    await expectNoShift(page);
  }
}
