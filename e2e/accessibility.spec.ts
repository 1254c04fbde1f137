import type { Page } from '@playwright/test';
import { type ChosenRules, findViolations } from './axe';
import { expect, test } from './fixtures';
import { openMistake } from './open-mistake';
import { opsPage, signInOperator } from './ops-page';
import { pagePaths } from './page-paths';
import { callSeckill, salePage, signInShopper } from './sale-page';

const paths = [...pagePaths.visitors, ...pagePaths.lab, '/ops'];

/** The console shows 404 for a missing page, 401 for a page for operators, and 429 for a refused shopper. */
test.use({ expectedStatuses: [401, 404, 429] });

for (const path of paths) {
  test(`${path} has no axe violation, in both languages and themes`, async ({ page }) => {
    await expectNoViolationsIn(page, path);
  });
}

for (const path of pagePaths.operators) {
  test(`${path} has no axe violation for an operator`, async ({ page }) => {
    await signInOperator(page.request);
    await expectNoViolationsIn(page, path);
  });
}

test('a refused shopper, an open menu and a wallet have no axe violation', async ({ page }) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.open();
  await callSeckill(page, 'live', 5);
  await sale.grab.click();
  await expect(sale.gate).toContainText('Too fast: 5 tries per 10 s');
  await expectNoViolations(page);

  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await expectNoViolations(page);

  await page.goto('/wallet');
  await expect(page.getByRole('listitem').getByRole('button', { name: /^Pay/ })).toBeVisible();
  await expectNoViolations(page);
  await page.getByRole('listitem').getByRole('button', { name: /^Pay/ }).click();
  await expect(page.getByRole('listitem').getByRole('code')).toBeVisible();
  await expectNoViolations(page);
});

test('a held and a final coupon have no axe violation', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await sale.grab.click();
  await expect(sale.gate).toContainText('Held, pay within');
  const coffee = sale.coupon('Filter coffee before ten');
  await coffee.getByRole('button').click();
  await expect(coffee).toContainText('It’s yours.');
  await expectNoViolations(page);
});

test('the results of an experiment and of a race have no axe violation', async ({ page }) => {
  await page.goto('/lab');
  await expect(async () => {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Keys in Redis' })).toBeVisible({ timeout: 3_000 });
  }).toPass();
  for (const part of ['HTTP responses', 'Keys in Redis']) {
    await page.getByRole('region', { name: part }).getByText('Sliding log').click();
  }
  await expectNoViolations(page);

  await page.goto('/lab?section=mistakes');
  const race = await openMistake(page, 'A race between four commands');
  await expect(async () => {
    await race.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(race.getByText('within the limit', { exact: true })).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await expectNoViolations(page);
});

test('the forms and dialogs of an operator have no axe violation', async ({ page }) => {
  for (let call = 0; call < 8; call += 1) await page.request.get('/api/trpc/merchant.list');
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  await ops.tryLimit('merchant', 'Each IP address', 2);
  await expectNoViolations(page);

  await page.goto('/ops/sales');
  await page.getByRole('button', { name: 'New coupon' }).click();
  await page.getByLabel('Title in English').fill('Soup');
  await page.getByRole('button', { name: 'Create' }).click();
  await expect(page.getByText('Enter a title.')).toBeVisible();
  await expectNoViolations(page);

  await page.goto('/ops/who');
  await page.getByRole('button', { name: /^Explain why .*: Merchant search$/ }).click();
  await expect(page.getByRole('dialog').getByRole('meter')).toBeVisible();
  await expectNoViolations(page);
});

/** The axe rules that read colours. All others have the same result in both themes. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** Checks a page in both languages when its rows, meters and charts have replaced their skeletons. */
async function expectNoViolationsIn(page: Page, path: string): Promise<void> {
  for (const language of ['en', 'zh']) {
    await page.goto(`${path}${path.includes('?') ? '&' : '?'}lang=${language}`);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByRole('main').locator('[aria-busy], [class*=skeleton]')).toHaveCount(0);
    // Both languages have the same colours.
    await (language === 'en' ? expectNoViolations(page) : expectNoViolationOf(page, { but: colorRules }));
  }
}

/** Checks both themes on one page load, so that an open menu or a refusal is checked in both. */
async function expectNoViolations(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    // Without motion, colours change immediately, so axe reads no intermediate colour.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectNoViolationOf(page, colorScheme === 'dark' ? { only: colorRules } : {});
  }
}

async function expectNoViolationOf(page: Page, rules: ChosenRules): Promise<void> {
  expect({ url: page.url(), rules, violations: await findViolations(page, rules) }).toEqual({
    ...{ url: page.url(), rules },
    violations: [],
  });
}
