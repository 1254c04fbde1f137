import type { APIRequestContext } from '@playwright/test';
import { expect } from './fixtures';
import { findLiveCoupon } from './live-coupon';
import { opsPage, signInOperator } from './ops-page';
import { test } from './own-floodgate';
import { press, salePage } from './sale-page';

const claim = { policy: 'coupon.claim', level: 'user' };

test.use({ expectedStatuses: [429] });

test.afterEach(async ({ request }) => {
  await signInOperator(request);
  expect((await request.post('/api/trpc/limit.reset', { data: claim })).status()).toBe(200);
});

test('a ban is explained to an operator, lifted by one click, and the shopper can claim again', async ({
  page,
  otherPage: shopper,
  request,
  watchConsole,
}) => {
  // A short window, so that the test does not wait for a minute.
  await signInOperator(request);
  await request.post('/api/trpc/limit.update', { data: { ...claim, limit: 1, windowMs: 5_000 } });

  await salePage(shopper).open();
  const coffee = salePage(shopper).coupon('Filter coffee before ten');
  const button = coffee.getByRole('button');
  await press(button, 'coupon.claim');
  await expect(coffee).toContainText('It’s yours.');
  await expect(async () => {
    expect(await claimOnce(shopper.request)).toBe('banned');
  }).toPass({ intervals: [0] });
  await shopper.reload();
  await expect(button).toHaveText('Blocked');

  await opsPage(page).open('/ops/who');
  const bans = page.getByRole('table', { name: 'Blocked' });
  const ban = bans.getByRole('row').nth(1);
  await expect(ban).toContainText('coupon.claim');
  await expect(ban).toContainText(/29\smin\s\d\d\ss/);
  const who = (await ban.getByRole('rowheader').textContent()) ?? '';
  const rowOf = (table: string, watcher = page) =>
    watcher.getByRole('table', { name: table }).getByRole('row').filter({ hasText: who });
  await expect(rowOf('Most refused')).toContainText('Blocked 5 of 5');

  const colleague = await page.context().newPage();
  watchConsole(colleague);
  await colleague.goto('/ops/who');
  await expect(rowOf('Blocked', colleague)).toBeVisible();

  const dialog = page.getByRole('dialog');
  const explain = ban.getByRole('button', { name: /^Explain/ });
  const clearWindow = dialog.getByRole('button', { name: 'Clear this window' });
  await test.step('the ban is explained', async () => {
    await explain.click();
    await expect(dialog).toHaveAccessibleName(`Why ${who} is blocked`);
    await expect(dialog).toContainText('Blocked until');
    await expect(dialog).toContainText('5 active violations.');
    await expect(dialog).toContainText(/Blocked for another \d+\smin/);
    await expect(clearWindow).toHaveAccessibleDescription('Changes nothing until the caller is unblocked.');
    await expect(dialog.getByRole('listitem').first()).toContainText(/Blocked|Refused/);
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(explain).toBeFocused();
  });

  await test.step('the explanation lifts the ban', async () => {
    await explain.click();
    await dialog.getByRole('button', { name: /^Unblock/ }).click();
    await expect(dialog.getByText('Unblocked', { exact: true }), 'in place of the button').toBeFocused();
    await expect(dialog).toContainText('No active violations.');
    await expect(clearWindow).toHaveAccessibleDescription(/so a burst can follow\.$/);
    await expect(dialog).toHaveAccessibleName(`Why ${who} was refused`);
    await page.keyboard.press('Escape');
    await expect(explain).toBeFocused();
    await expect(ban.getByText('Unblocked', { exact: true })).toBeVisible();
    await expect(ban.getByRole('button', { name: /^Unblock/ })).toHaveCount(0);
    await expect(ban.getByRole('cell', { name: '0', exact: true }), 'its violations').toBeVisible();
    await expect(
      page.getByText('Unblocked callers stay in this list until you leave the page.'),
    ).toBeVisible();
  });
  await expect(rowOf('Blocked', colleague), 'another operator sees it').toHaveCount(0);
  await expect(rowOf('Most refused')).toContainText('0 of 5');

  await expect(button).toHaveText('Claim another', { timeout: 15_000 });
  await expect(async () => {
    await press(button, 'coupon.claim');
    await expect(coffee).toContainText('It’s yours.', { timeout: 500 });
  }).toPass({ timeout: 15_000 });
});

test('a caller that the shared limit refused is listed and explained by that limit', async ({
  page,
  request,
}) => {
  const couponId = await findLiveCoupon(request, 'seckill');
  const crowd = { couponId, shoppers: 200, overMs: 0 };
  expect((await request.post('/api/trpc/demo.crowd', { data: crowd })).status()).toBe(200);
  await opsPage(page).open('/ops/who');
  const refused = page.getByRole('region', { name: 'Most refused' });
  await expect(refused).toContainText(/\d+ (or more )?callers were refused by a shared limit/);
  await expect(refused.getByRole('table', { name: 'Most refused' })).not.toContainText('Everyone');
  await refused.getByRole('button', { name: 'Show these callers' }).click();
  const row = refused
    .getByRole('table', { name: 'Refused by a shared limit' })
    .getByRole('row')
    .filter({ hasText: 'coupon.seckillEach shopper' })
    .filter({ has: page.getByRole('cell', { name: 'Everyone', exact: true }) })
    .first();
  await row.getByRole('button', { name: /^Explain/ }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('by the limit “Everyone”, when 100 calls in 10 s had filled it');
  await expect(dialog).toContainText('own window, which did not refuse these calls');
  await expect(dialog.getByRole('meter')).toHaveCount(2);
  await expect(dialog.locator('p:empty'), 'no empty paragraph').toHaveCount(0);
  await dialog.getByRole('button', { name: 'Change Flash sale, Everyone' }).click();
  await expect(dialog).toHaveAccessibleName('Change limit: Flash sale, Everyone');
});

test('the table of refused callers can be sorted by keyboard and announces its order', async ({
  page,
  request,
}) => {
  for (let call = 0; call < 8; call += 1) await request.get('/api/trpc/merchant.list');
  await opsPage(page).open('/ops/who');
  const table = page.getByRole('table', { name: 'Most refused' });
  const merchant = table.getByRole('row', { name: /merchant/ });
  await expect(merchant, 'a level that does not punish').toContainText('No blocking');
  const times = table.getByRole('columnheader', { name: 'Times' });
  await expect(times).toHaveAttribute('aria-sort', 'descending');
  await times.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(times).toHaveAttribute('aria-sort', 'ascending');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  const refusedBy = table.getByRole('columnheader', { name: 'Refused by' });
  await expect(refusedBy).toHaveAttribute('aria-sort', 'ascending');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  const countedAs = table.getByRole('columnheader', { name: 'Counted as' });
  await expect(countedAs).toHaveAttribute('aria-sort', 'ascending');
  await expect(refusedBy).not.toHaveAttribute('aria-sort');
  await expect(times).not.toHaveAttribute('aria-sort');
});

/** Claims once without the page. Returns the reason of the refusal, or `admitted`. */
async function claimOnce(shopper: APIRequestContext): Promise<string> {
  const couponId = await findLiveCoupon(shopper, 'claim');
  const answer = await shopper.post('/api/trpc/coupon.claim', { data: { couponId } });
  return (await answer.json()).error?.data.rateLimit?.reason ?? 'admitted';
}
