import type { Page } from '@playwright/test';
import { expect } from './fixtures';
import { test } from './own-floodgate';
import { raiseLabLimit } from './raise-lab-limit';

test.beforeEach(({ playwright, floodgate }) => raiseLabLimit({ playwright, url: floodgate.url }));

test('an example of a tutorial fills the form, and its claim is compared with the run', async ({ page }) => {
  await page.goto('/lab');
  await choose(page, 'Textbook examples');
  await page.getByRole('combobox', { name: 'Example' }).selectOption({ label: '200 calls in two seconds' });
  await expect(page.getByLabel('Limit (calls)')).toHaveValue('100');
  await expect(page).toHaveURL('/lab?traffic=preset&limit=100&window=60000&preset=two-seconds');

  const claim = page.getByRole('region', { name: 'The claim and the measurement' });
  await expect(claim).toContainText('Not run yet');
  await run(page);
  await expect(claim).toContainText('Fixed window: 200 calls in the fullest window. agrees');
  await expect(claim).toContainText(/Each decision took [\d.,]+ ms in the median and [\d.,]+ ms at most/);
  await claim.getByRole('link', { name: 'See it run next to Floodgate' }).click();
  await expect(page).toHaveURL('/lab?section=mistakes&card=double-burst');
});

test('a claim with changed numbers stays as earlier, until the next run', async ({ page }) => {
  await page.goto('/lab?traffic=preset&preset=leaky-burst');
  const claim = page.getByRole('region', { name: 'The claim and the measurement' });
  await run(page);
  await expect(claim).toContainText(
    'Leaky bucket: the last admitted call starts after 9.00 s. both are half true',
  );
  await page.getByLabel('Limit (calls)').fill('12');
  await expect(page.getByText('so its claim no longer applies')).toBeVisible();
  await expect(page.getByText('Result of an earlier run')).toHaveCount(4);
  await expect(claim).toContainText('starts after 9.00 s');
  await run(page);
  await expect(claim).toHaveCount(0);
});

test('more sub-windows let the counter admit what the log admits, and the URL carries their number', async ({
  page,
}) => {
  await page.goto('/lab?traffic=steady&limit=10&window=10000&load=150&windows=4&subwindows=1');
  const slider = page.getByRole('slider', { name: 'Sub-windows of the sliding counter' });
  await expect(slider).toHaveValue('1');
  await run(page);
  // The hits of the first window stay until the end of the second.
  await expect(page.getByText(/^Sliding counter with 1 sub-window of 10\.00\ss/)).toContainText(
    'It admitted 20 calls, the log 40',
  );
  await slider.press('End');
  await expect(page).toHaveURL(/subwindows=100/);
  await page.reload();
  await expect(slider).toHaveValue('100');
  await run(page);
  await expect(page.getByText(/^Sliding counter with 100 sub-windows of 100\sms/)).toContainText(
    'the log 40',
  );
});

test('a link starts the three levels of a tutorial, and the claim disappears when a number changes', async ({
  page,
}) => {
  await page.goto('/lab?section=layers&layers=three-levels');
  const api = page.getByLabel(/^API, all calls/);
  await expect(api).toHaveValue('1000');
  const claim = page.getByText(/^A tutorial says: three levels/);
  await expect(async () => {
    await page.getByRole('button', { name: 'Send calls' }).click();
    await expect(claim).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(claim).toContainText(
    'of 1,200 calls, the first level (up to 10,000) refused 0, the API 184, the user’s limit 16.',
  );
  await expectLaptopFit(page);
  await api.fill('999');
  await expect(claim).toHaveCount(0);
  await page.getByLabel('Example').selectOption({ label: 'Small' });
  await expect(page).toHaveURL('/lab?section=layers&layers=small');
  await expect(api).toHaveValue('30');
});

test('a link starts the punishment of a tutorial, on the clock of the lab', async ({ page }) => {
  await page.goto('/lab?section=ladder&ladder=tutorial');
  await expect(page.getByRole('main'), 'no numbers of the other example').not.toContainText('20 s');
  const claim = page.getByText(/^A tutorial says: five calls pass/);
  await expect(async () => {
    await page.getByRole('button', { name: 'Send ten calls' }).click();
    await expect(claim).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expect(claim).toContainText('Measured: 5 passed, 2 refused, 2 warned, 1 blocked.');
  await expect(page.getByRole('listitem').filter({ hasText: 'The caller is here' })).toContainText(
    'Refused, and blocked for 30',
  );
  await expectLaptopFit(page);
});

test('a card with groups shows who was refused', async ({ page }) => {
  await page.goto('/lab?section=mistakes&card=pulse-starves');
  const card = page.getByRole('region', { name: 'A pulse that starves the others' });
  const users = card.getByRole('listitem').filter({ hasText: 'The 20 users' });
  await expect(users).toHaveCount(2);
  await expect(async () => {
    await card.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(users.first()).toContainText('31 of 60 admitted', { timeout: 5_000 });
  }).toPass();
  await expect(card, 'not all calls of others').toContainText('refused as long as the bucket is empty');
  await expect(users.first()).toContainText(/Refused: user-\d+\s×\s3/);
  await expect(users.last()).toContainText('60 of 60 admitted');
  await expect(card.getByText(/^A tutorial says that a pulse .* Measured: 31 of/)).toBeVisible();
});

test('the cost of a decision grows with the log where all of it is read', async ({ page }) => {
  await page.goto('/lab?section=storage');
  const growth = page.getByRole('region', { name: 'How the costs grow' });
  const cost = growth.getByRole('radio', { name: 'Read per decision' });
  await expect(async () => {
    await growth.getByRole('button', { name: 'Measure' }).click();
    await expect(cost).toBeVisible({ timeout: 15_000 });
  }).toPass();
  const median = growth.getByText(/^Each time is the median/);
  await expect(median).toBeVisible();
  await cost.check();
  await expect(median, 'bytes have no median').toHaveCount(0);
  await expect(growth.getByRole('row', { name: /^SET/ })).toContainText('88,890 B');
  await expect(growth.getByRole('row', { name: /^ZSET/ })).toContainText('5 B');
  await expect(growth.getByRole('row')).toHaveCount(7);

  await page.setViewportSize({ width: 375, height: 812 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
});

/** Expects that a laptop shows the whole page without scrolling. */
async function expectLaptopFit(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1_440, height: 900 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
    .toBeLessThanOrEqual(900);
}

/** Chooses a kind of traffic, also if the page reacts late. */
async function choose(page: Page, traffic: string): Promise<void> {
  await expect(async () => {
    await page.getByRole('radio', { name: traffic }).check();
    await expect(page).toHaveURL(/traffic=preset/, { timeout: 1_000 });
  }).toPass();
}

async function run(page: Page): Promise<void> {
  await expect(async () => {
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Keys in Redis' })).toBeVisible({ timeout: 3_000 });
  }).toPass();
}
