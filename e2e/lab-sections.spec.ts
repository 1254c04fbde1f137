import type { Page } from '@playwright/test';
import { expect } from './fixtures';
import { answerTo, EARLIER, openMistake, setLabLimit } from './lab-page';
import { test } from './own-floodgate';
import { expectNoViolations, overflowOf } from './page-checks';

/** These tests exceed the limit of ten experiments a minute. */
test.beforeEach(({ playwright, floodgate }) => setLabLimit({ playwright, url: floodgate.url }, 1_000));

test('each mistake is shown next to the product without the mistake', async ({ page }) => {
  await page.goto('/lab?section=mistakes');
  await test.step('concurrent calls always exceed the limit of four commands and never that of the product', async () => {
    for (const title of [/^A race between four commands/, /^Timestamps as members/]) {
      const card = await openMistake(page, title);
      for (let time = 0; time < 2; time += 1) {
        await answerTo(page, 'lab.mistake', () =>
          card.getByRole('button', { name: 'Run', exact: true }).click(),
        );
        await expect(card.getByText('over the limit', { exact: true })).toBeVisible();
        await expect(card.getByText('Calls in the fullest window')).toHaveCount(2);
        await expect(card.getByText('100 / 10', { exact: true }).first()).toBeVisible();
        await expect(card.getByText('within the limit', { exact: true })).toBeVisible();
        await expect(card.getByText('10 / 10', { exact: true }).first()).toBeVisible();
      }
    }
  });
  await expectNoViolations(page);
  const cards = [
    [/^Twice the limit/, 'over the limit', 'within the limit'],
    [/^A refusal that extends/, 'never admitted again', 'admitted again'],
    [/^A bucket with mixed-up units/, 'over the limit', 'within the limit'],
    [/^Keys in different cluster slots/, 'refused by a cluster', 'runs on a cluster'],
    [/^A block that blocks again/, 'blocked again by one call', 'starts anew'],
  ] as const;
  for (const [title, mistaken, product] of cards) {
    const card = await openMistake(page, title);
    await answerTo(page, 'lab.mistake', () => card.getByRole('button', { name: 'Run', exact: true }).click());
    await expect(card.getByText(mistaken, { exact: true })).toBeVisible();
    await expect(card.getByText(product, { exact: true })).toBeVisible();
  }
});

test('the address of a card opens it, and a store that is down is shown in three ways, by keyboard', async ({
  page,
}) => {
  await page.goto('/lab?section=mistakes&card=redis-down');
  const card = page.getByRole('region', { name: 'Redis is down' });
  await expect(card).toBeInViewport();
  await expect(card).toContainText('Sends the same calls to all three versions');
  await expect(card.getByText('every call is admitted'), 'the heading names no single version').toHaveCount(
    1,
  );
  await expect(page.locator(':focus'), 'a page that opens does not move the focus').toHaveCount(0);
  await answerTo(page, 'lab.mistake', () =>
    card.getByRole('button', { name: 'Run', exact: true }).press('Enter'),
  );
  for (const figure of ['100 / 20', '0 / 20', '20 / 20']) {
    await expect(card.getByText(figure, { exact: true }).first()).toBeVisible();
  }
  await expect(card).toContainText('open 100, closed 0, local 20');

  await openMistake(page, /^Keys that stay for ever/);
  await expect(page).toHaveURL(/section=mistakes&card=zombie-keys$/);
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

test.describe('a phone', () => {
  test.use({ viewport: { width: 375, height: 812 } });

  test('a select chooses a mistake, and its card follows', async ({ page }) => {
    await page.goto('/lab?section=mistakes');
    const select = page.getByRole('combobox', { name: 'Mistake' });
    const card = page.getByRole('region', { name: 'Twice the limit at the edge' });
    await expect(async () => {
      await select.selectOption({ label: 'A race between four commands' });
      await select.selectOption({ label: 'Twice the limit at the edge' });
      await expect(card).toBeInViewport({ timeout: 500 });
    }).toPass();
    await expect(select).toBeInViewport();
    await expect(page).toHaveURL(/card=double-burst$/);
  });
});

test('one log is compared in every Redis type, and its cost grows where all of it is read', async ({
  page,
}) => {
  await page.goto('/lab?section=storage');
  await answerTo(page, 'lab.storages', () => page.getByRole('button', { name: 'Compare' }).click());
  for (const type of ['STRING, as text', 'LIST', 'HASH', 'ZSET', 'STRING, packed by Floodgate']) {
    await expect(page.getByRole('row', { name: new RegExp(`^${type}`) })).toBeVisible();
  }
  const growth = page.getByRole('region', { name: 'How the costs grow' });
  const cost = growth.getByRole('radio', { name: 'Read per decision' });
  await expect(async () => {
    await growth.getByRole('button', { name: 'Measure' }).click();
    await expect(cost).toBeVisible();
  }).toPass();
  const median = growth.getByText(/^Each time is the median/);
  await expect(median).toBeVisible();
  await cost.check();
  await expect(median, 'bytes have no median').toHaveCount(0);
  await expect(growth.getByRole('row', { name: /^SET/ })).toContainText('88,890 B');
  await expect(growth.getByRole('row', { name: /^ZSET/ })).toContainText('5 B');
  await expect(growth.getByRole('row')).toHaveCount(7);

  await page.setViewportSize({ width: 375, height: 812 });
  await expect.poll(() => overflowOf(page)).toBe(0);
});

test('one decision charges no layer for refused calls, three decisions do', async ({ page }) => {
  await page.goto('/lab?section=layers');
  await answerTo(page, 'lab.layers', () => page.getByRole('button', { name: 'Send calls' }).click());
  const charged = (title: string) =>
    page
      .getByRole('region', { name: title })
      .getByText('Charged for refused calls')
      .locator('xpath=following-sibling::*');
  await expect(charged('One decision')).toHaveText('0');
  await expect(charged('Three decisions')).toHaveText(/^[1-9]\d*$/);
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

test.describe('refused', () => {
  test.use({ expectedStatuses: [429] });

  test('fast clicks lead to a warning, then to a block of the displayed length', async ({ page }) => {
    await page.goto('/lab?section=ladder');
    const rule = '3 clicks in 10 s. A warning from violation 2, a block of 20 s at violation 4.';
    await expect(page.getByText(rule)).toBeVisible();
    const button = page.getByRole('button', { name: 'Click me fast' });
    await expect(async () => {
      await button.click();
      await expect(page.getByText('Warned').first()).toBeVisible({ timeout: 200 });
    }).toPass({ intervals: [0] });
    await expect(page.getByRole('list', { name: 'Punishment ladder' })).toContainText('You are here');
    await expect(async () => {
      await button.click();
      await expect(page.getByText(/^Blocked: \d+\ss left\. /)).toBeVisible({ timeout: 200 });
    }).toPass({ intervals: [0] });
    await expect(page.getByText('Your next click will be admitted.')).toBeVisible();
  });
});

test('pollers win by refusals, and wait as long as people in the queue', async ({ page }) => {
  await page.goto('/lab?section=fairness');
  const admitted = (title: string, group: string) =>
    page
      .getByRole('region', { name: title })
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: group }) })
      .getByText(/admitted$/);
  // The first choice may be before the page is interactive.
  await expect(async () => {
    await page.getByLabel('Coupons').selectOption({ label: 'One for everyone' });
    await page.getByLabel('Coupons').selectOption({ label: 'Only 20' });
    await answerTo(page, 'lab.fairness', () => page.getByRole('button', { name: 'Run both' }).click());
    await expect(admitted('With the queue', 'People')).toHaveText('18 of 90 admitted', { timeout: 3_000 });
  }).toPass();
  await expect(admitted('Refusals only', 'Bots')).toHaveText(/^([89]|10) of 10 admitted$/);
  await page.getByLabel('People').fill('80');
  await expect(page.getByText(EARLIER).last()).toBeVisible();
  await expect(admitted('With the queue', 'Bots')).toHaveText('2 of 10 admitted');
});

test('an examination opens with a result, and names another limiter, by keyboard', async ({ page }) => {
  await page.goto('/lab?section=examine');
  const stored = page.getByRole('region', { name: 'A counter per fixed window' });
  await expect(stored).toContainText('Fixed window by the clock');
  await expect(stored.getByText('20 / 10 over limit')).toHaveCount(2);
  await expect(page.getByText('npx floodgate-limiter examine http://127.0.0.1:3000/api')).toBeVisible();
  // The first choice may be before the page is interactive.
  await expect(async () => {
    await page.getByLabel('Limiter').selectOption({ label: 'Floodgate: sliding log' });
    await page.getByLabel('Limiter').selectOption({ label: 'A token bucket as a script' });
    await expect(page).toHaveURL(/limiter=bucket-script$/, { timeout: 500 });
  }).toPass();
  await expect(page.getByText(EARLIER).last()).toBeVisible();
  await answerTo(page, 'lab.examine', () =>
    page.getByRole('button', { name: 'Examine', exact: true }).press('Enter'),
  );
  const report = page.getByRole('region', { name: 'A token bucket as a script' });
  await expect(report.getByText('19 / 10 over limit')).toBeVisible();
  await expect(report.getByText('no race', { exact: true })).toBeVisible();
  await expectNoViolations(page);
  await expectLaptopFit(page);
  await report.getByRole('link', { name: 'See it in the lab' }).press('Enter');
  await expect(page).toHaveURL(/\/lab\?traffic=edge$/);
});

/** Expects that a laptop shows the whole page without scrolling. */
async function expectLaptopFit(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1_440, height: 900 });
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollHeight))
    .toBeLessThanOrEqual(900);
}
