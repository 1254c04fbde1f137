import type { APIRequestContext } from '@playwright/test';
import { expect } from './fixtures';
import { findLiveCoupon } from './live-coupon';
import { opsPage, signInOperator } from './ops-page';
import { test } from './own-floodgate';

const shared = { policy: 'coupon.seckill', level: 'global' };
const everyone = ['coupon.seckill', 'Everyone'] as const;

test.use({ expectedStatuses: [429, 503] });

test.afterEach(async ({ request }) => {
  await signInOperator(request);
  expect((await request.post('/api/trpc/limit.reset', { data: shared })).status()).toBe(200);
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
  await expect(await ops.openLevel(...everyone)).toHaveAttribute('aria-valuenow', '0', { timeout: 1_500 });
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
  await expect(async () => expect(await sendCode()).toBe(200)).toPass({ timeout: 1_000, intervals: [100] });

  const shared = { policy: 'coupon.seckill', level: 'global' };
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
  const warning = page.getByText('Redis returns errors.');
  await expect(warning).toContainText('Error replies in the last minute: 1 × WRONGTYPE');
  await expect(warning).toContainText('Each node’s log has the causes.');
  const main = page.getByRole('main');
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

async function sendCodeTo(request: APIRequestContext, email: string): Promise<number> {
  return (await request.post('/api/trpc/auth.sendCode', { data: { email } })).status();
}
