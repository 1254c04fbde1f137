import type { APIRequestContext } from '@playwright/test';
import { expect } from './fixtures';
import { opsPage, signInOperator } from './ops-page';
import { test } from './own-floodgate';
import { expectNoViolations } from './page-checks';
import { findLiveCoupon, press, salePage } from './sale-page';

const claim = { policy: 'coupon.claim', level: 'user' };
const shared = { policy: 'coupon.seckill', level: 'global' };
const everyone = ['coupon.seckill', 'Everyone'] as const;

test.use({ expectedStatuses: [429, 503] });

test.afterEach(async ({ request }) => {
  await signInOperator(request);
  for (const level of [claim, shared])
    expect((await request.post('/api/trpc/limit.reset', { data: level })).status()).toBe(200);
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

  const dialog = page.getByRole('dialog', { name: /^Why/ });
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
    const reason = page.getByLabel('Reason (optional, for the log)');
    await expect(reason).toBeFocused();
    await reason.fill('a shared address');
    await page.keyboard.press('Enter');
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

  await expect(button).toHaveText('Claim another');
  await expect(async () => {
    await press(button, 'coupon.claim');
    await expect(coffee).toContainText('It’s yours.', { timeout: 500 });
  }).toPass();
});

test('a caller that the shared limit refused is listed and explained by that limit', async ({
  page,
  request,
}) => {
  await signInOperator(request);
  // On a busy machine, a crowd that fills the declared window takes longer than its 10 s.
  const change = { ...shared, limit: 20, windowMs: 30_000 };
  expect((await request.post('/api/trpc/limit.update', { data: change })).status()).toBe(200);
  const couponId = await findLiveCoupon(request, 'seckill');
  const crowd = { couponId, shoppers: 50, overMs: 0 };
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
  await expect(dialog).toContainText('by the limit “Everyone”, when 20 calls in 30 s had filled it');
  await expect(dialog).toContainText('own window, which did not refuse these calls');
  await expect(dialog.getByRole('meter')).toHaveCount(2);
  await expect(dialog.locator('p:empty'), 'no empty paragraph').toHaveCount(0);
  await expectNoViolations(page);
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
  const times = table.getByRole('columnheader', { name: 'Calls refused' });
  await expect(times).toHaveAttribute('aria-sort', 'descending');
  await times.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect(times).toHaveAttribute('aria-sort', 'ascending');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  const refusedBy = table.getByRole('columnheader', { name: 'Refused by limit' });
  await expect(refusedBy).toHaveAttribute('aria-sort', 'ascending');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Space');
  const ownLimit = table.getByRole('columnheader', { name: 'Limit of the caller' });
  await expect(ownLimit).toHaveAttribute('aria-sort', 'ascending');
  await expect(refusedBy).not.toHaveAttribute('aria-sort');
  await expect(times).not.toHaveAttribute('aria-sort');
});

test('an operator sets a limit for one caller, whose page shows it, and removes it', async ({
  page,
  otherPage: shopper,
}) => {
  const sale = salePage(shopper);
  await sale.open();
  const signedIn = await shopper.request.post('/api/trpc/auth.signInDemo', { data: { name: 'Person' } });
  const { id } = (await signedIn.json()).result.data.user;
  await shopper.reload();
  // The meter of claims opens with the first press.
  await press(shopper.getByRole('button', { name: /^Claim/ }).first(), 'coupon.claim');
  const claims = shopper.getByRole('region', { name: 'Claiming' });
  await expect(claims.getByRole('meter', { name: 'Your tries' })).toBeVisible();

  await opsPage(page).open('/ops/who');
  await page.getByRole('button', { name: 'Add a personal limit' }).click();
  const form = page.getByRole('dialog').getByRole('form', { name: 'Personal limit' });
  await form.getByLabel('Limit replaced').selectOption('coupon.claim:user');
  await form.getByLabel('Caller').fill(id);
  await form.getByLabel('Limit', { exact: true }).fill('7');
  await form.getByRole('button', { name: 'Set limit' }).click();
  await expect(form).toContainText('Fill this in.');
  await form.getByLabel('Reason').fill('a test');
  await form.getByRole('button', { name: 'Set limit' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();

  const row = page
    .getByRole('table', { name: 'Personal limits' })
    .getByRole('row')
    .filter({ hasText: 'coupon.claim' });
  await expect(row).toContainText('7 per minute');
  await expect(claims.getByRole('meter', { name: 'Your limit: 7' })).toBeVisible();

  await test.step('the log names the rule in words', async () => {
    await page.getByRole('link', { name: 'Limits' }).click();
    const entry = page.getByRole('table', { name: 'Operator log' }).getByRole('row').nth(1);
    await expect(entry).toContainText('Personal limit set Claim any time · Each shopper');
    await expect(entry).toContainText('Rule default → personal limit');
    await expect(entry).toContainText('Limit 3 per minute (default) → 7 per minute');
    await page.getByRole('link', { name: 'Abuse' }).click();
  });

  await row.getByRole('button', { name: /^Remove/ }).click();
  await expect(row).toHaveCount(0);
  await expect(claims.getByRole('meter', { name: 'Your tries' })).toBeVisible();
  await page.getByRole('link', { name: 'Limits' }).click();
  const entry = page.getByRole('table', { name: 'Operator log' }).getByRole('row').nth(1);
  await expect(entry).toContainText('Rule personal limit → removed');
});

test('the VIP of the demo sees her own limit', async ({ page }) => {
  await page.goto('/');
  await page.request.post('/api/trpc/auth.signInDemo', { data: { name: 'Vera' } });
  await page.reload();
  const grabbing = page.getByRole('region', { name: 'Grabbing' });
  await expect(grabbing.getByRole('meter', { name: 'Your limit: 20' })).toBeVisible();
});

test('an operator clears the global window, and the audit log shows it', async ({ page, request }) => {
  // A long window without calls of other tests, so that it does not empty by itself.
  await signInOperator(request);
  await request.post('/api/trpc/limit.update', { data: { ...shared, windowMs: 3_600_000 } });
  await request.post('/api/trpc/limit.clear', { data: shared });
  const couponId = await findLiveCoupon(request, 'seckill');
  await request.post('/api/trpc/demo.crowd', { data: { couponId, shoppers: 20, overMs: 0 } });

  const ops = opsPage(page);
  await ops.open('/ops');
  await expect(await ops.openLevel(...everyone)).toHaveAttribute('aria-valuenow', '20');

  await page.getByRole('link', { name: 'Limits' }).click();
  await ops
    .level(...everyone)
    .getByRole('button')
    .click();
  const open = ops.limitDialog.getByRole('button', { name: 'Clear this window' });
  await expect(open).toHaveAccessibleDescription('Frees the whole window at once, so a burst can follow.');
  await open.click();
  const dialog = page.getByRole('dialog', { name: /^Clear the window of Flash sale, / });
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  await expect(dialog).toBeHidden();
  await expect(open).toBeFocused();
  await open.click();
  await dialog.getByRole('button', { name: 'Clear' }).click();
  await expect(page.getByText('Window cleared.')).toBeVisible();
  const entry = page.getByRole('table', { name: 'Operator log' }).getByRole('row').nth(1);
  await expect(entry).toContainText('Window cleared Flash sale · Everyone');
  await expect(entry).toContainText('Cleared for all callers');

  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(await ops.openLevel(...everyone)).toHaveAttribute('aria-valuenow', '0');
});

test('an operator clears the window of a refused caller, in Chinese', async ({ page, request }) => {
  const sendCode = () => sendCodeTo(request, 'full@example.com');
  await expect(async () => expect(await sendCode()).toBe(429)).toPass({ intervals: [0] });
  await opsPage(page).open('/ops/who');
  await page.goto('/ops/who?lang=zh');
  await page
    .getByRole('row')
    .filter({ hasText: 'auth.sendCode' })
    .filter({ hasText: '每个邮箱' })
    .getByRole('button')
    .first()
    .click();
  const explained = page.getByRole('dialog');
  await expect(explained, 'the meter is of now, the sentence of then').toContainText('次。现在的窗口：');
  await expect(explained).toContainText('窗口至今仍是满的。');
  await page.getByRole('button', { name: '清空此窗口' }).click();
  await page
    .getByRole('dialog', { name: /^要清空/ })
    .getByRole('button', { name: '清空' })
    .click();
  await expect(page.getByText('窗口已清空'), 'the dialog around it stays open').toBeVisible();
  await expect(explained).toContainText('窗口目前为空，下一次请求会被放行。');
  await expect(explained).not.toContainText(/仍是满的|移出窗口/);
  // The window of a minute does not empty by itself in this time.
  await expect(async () => expect(await sendCode()).toBe(200)).toPass({ timeout: 30_000, intervals: [100] });

  await page.request.post('/api/trpc/limit.clear', { data: shared });
  await page.goto('/ops/limits?lang=zh');
  await expect(page.getByRole('table', { name: '操作日志' }).getByRole('row').nth(1)).toContainText(
    '已清空所有调用方',
  );
});

test('an error that Redis replies is shown to operators, and emptying the window ends it', async ({
  page,
  request,
  floodgate: { redis },
}) => {
  const email = 'broken@example.com';
  const readEmailKeys = async () => (await redis.run('KEYS', 'limit:{auth.sendCode}:email:*')) as string[];
  const before = await readEmailKeys();
  expect(await sendCodeTo(request, email)).toBe(200);
  const key = (await readEmailKeys()).find((one) => !before.includes(one)) ?? '';
  await redis.run('DEL', key);
  await redis.run('LPUSH', key, 'a list');
  expect(await sendCodeTo(request, email)).toBe(503);

  await opsPage(page).open('/ops');
  const main = page.getByRole('main');
  await expect(main).toContainText('Error replies in the last minute: 1 × WRONGTYPE');
  await expect(main).toContainText('Each node’s log has the causes.');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect(page.getByText('Redis returns errors.'), 'stated once').toHaveCount(1);
  await expect(main, 'no second line for the only node').not.toContainText('gets errors from Redis');
  await expect(main).not.toContainText('redisErrors');
  await expect(page.getByLabel('Health')).toContainText(/^Rediserrors/);
  await expect(page.getByRole('region', { name: 'Traffic' }).getByRole('status')).toContainText(
    'Redis errors',
  );
  await page.goto('/ops?lang=zh');
  await expect(main).toContainText('没有告警。');
  await expect(main).toContainText('原因见各节点的日志。');
  await page.goto('/ops/alerts');
  await expect(main).toContainText('没有告警，但有 1 项健康检查未通过：Redis 报错。');
  await main.getByRole('link', { name: '查看总览' }).click();
  await expect(page).toHaveURL(/\/ops$/);
  const clear = { policy: 'auth.sendCode', level: 'email', subject: email };
  expect((await page.request.post('/api/trpc/limit.clear', { data: clear })).status()).toBe(200);
  expect(await sendCodeTo(request, email)).toBe(200);
});

/** Claims once without the page. Returns the reason of the refusal, or `admitted`. */
async function claimOnce(shopper: APIRequestContext): Promise<string> {
  const couponId = await findLiveCoupon(shopper, 'claim');
  const answer = await shopper.post('/api/trpc/coupon.claim', { data: { couponId } });
  return (await answer.json()).error?.data.rateLimit?.reason ?? 'admitted';
}

async function sendCodeTo(request: APIRequestContext, email: string): Promise<number> {
  return (await request.post('/api/trpc/auth.sendCode', { data: { email } })).status();
}
