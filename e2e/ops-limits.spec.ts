import { readFile } from 'node:fs/promises';
import type { APIRequestContext, Page, Route } from '@playwright/test';
import { expect } from './fixtures';
import { opsPage, signInOperator } from './ops-page';
import { test } from './own-floodgate';
import { expectNoViolations } from './page-checks';
import { salePage } from './sale-page';

const everyone = ['coupon.seckill', 'Everyone'] as const;

test.use({ expectedStatuses: [400, 503] });

test.afterEach(async ({ request }) => {
  await signInOperator(request);
  const reset = { policy: 'coupon.seckill', level: 'global' };
  expect((await request.post('/api/trpc/limit.reset', { data: reset })).status()).toBe(200);
});

test('an operator halves the limit of the sale, and a shopper sees it', async ({
  page,
  otherPage: shopper,
}) => {
  const sale = salePage(shopper);
  await shopper.goto('/');
  await expect(sale.everyone).toHaveAttribute('aria-valuemax', '100');

  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const { form } = await ops.tryLimit(...everyone, 50);
  await form.getByLabel('Reason (optional, for the log)').fill('The kitchen is behind');
  await form.getByRole('button', { name: 'Apply' }).click();
  await expect(sale.everyone).toHaveAttribute('aria-valuemax', '50');

  const row = ops.level(...everyone);
  await expect(row).toContainText('50 per 10 s');
  await expect(row).toContainText('default 100 per 10 s');
  await expect(
    ops.level('coupon.seckill', 'Each shopper'),
    'only a changed limit shows its default',
  ).not.toContainText('default');
  await expect(ops.limitDialog).toBeHidden();
  await expect(row.getByRole('button'), 'the focus returns to the button').toBeFocused();
  const entry = page.getByRole('table', { name: 'Operator log' }).getByRole('row').nth(1);
  await expect(entry).toContainText('Flash sale · Everyone');
  await expect(entry).toContainText('100 per 10 s (default) → 50 per 10 s');
  await expect(entry).toContainText('The kitchen is behind');

  await test.step('a reset restores the limit', async () => {
    await row.getByRole('button').click();
    await page.getByRole('button', { name: 'Reset to 100 per 10 s' }).click();
    await expect(sale.everyone).toHaveAttribute('aria-valuemax', '100');
    await expect(row).toContainText('100 per 10 s');
    await row.getByRole('button').click();
    await expect(ops.limitDialog.getByRole('button', { name: 'Apply' })).toBeVisible();
    await expect(ops.limitDialog.getByRole('button', { name: /^Reset to/ }), 'it is reset').toBeHidden();
  });
});

test('an operator blocks the sale, a shopper reads that no time is known, and the end of the block opens it', async ({
  page,
  otherPage: shopper,
}) => {
  const sale = salePage(shopper);
  await shopper.goto('/');
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const choose = async (mode: string) => {
    const form = await ops.openLimit(...everyone);
    await form.getByRole('radio', { name: mode }).check({ force: true });
    const apply = form.getByRole('button', { name: 'Apply' });
    await expect(apply).not.toHaveAttribute('aria-disabled');
    await apply.click();
  };
  await choose('Block');
  const confirm = page.getByRole('dialog', { name: 'Block all calls?' });
  await confirm.getByRole('button', { name: 'Block all calls' }).click();
  await expect(sale.grab).toHaveText('On hold');
  await expect(sale.gate).toContainText('It’s not known yet when it reopens.');
  await expect(sale.everyone).toHaveAttribute('aria-valuetext', /on hold$/);
  await expect(ops.level(...everyone)).toContainText('blocked');

  await choose('Enforced');
  await expect(sale.grab).toHaveText('Grab');
});

test('the preview of a limit matches its later effect', async ({ page, request, floodgate }) => {
  // Removes the arrivals of earlier tests: this Redis restarts empty.
  await floodgate.redis.kill();
  await floodgate.redis.restart();
  await expect(async () => {
    const { dependencies } = await (await request.get('/readyz')).json();
    expect(dependencies.redis).toEqual({ ok: true, detail: 'answers' });
  }).toPass();
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const previewLimit = async (): Promise<{ from: number; to: number; arrivals: number }> => {
    const input = { policy: 'coupon.seckill', level: 'global', limit: 25 };
    return (await (await page.request.post('/api/trpc/ops.whatIf', { data: input })).json()).result.data;
  };
  // Waits until the empty Redis records arrivals.
  await expect(async () => {
    const { from, to } = await previewLimit();
    expect(to).toBeGreaterThan(from);
  }).toPass();
  const crowd = { couponId: await couponWithMostStock(request), shoppers: 60 };
  expect(await sendCrowd(request, crowd)).toEqual({ admitted: 60, refused: 0 });
  await expect(async () => expect(await previewLimit()).toMatchObject({ arrivals: 60 })).toPass();

  const { form, outcomes } = await ops.tryLimit(...everyone, 25);
  const { actual, before, after } = await outcomes();
  expect(actual).toEqual({ admitted: 60, refused: 0 });
  expect(before).toEqual(actual);
  expect(after).toEqual({ admitted: 25, refused: 35 });
  const announced = ops.limitDialog
    .getByRole('status')
    .filter({ hasText: 'New limit: 25 admitted, 35 refused.' });
  await expect(announced, 'for screen readers, once').toHaveCount(1);
  await test.step('the times of both charts line up', async () => {
    const plots = form.getByRole('slider').locator('svg');
    await expect(plots).toHaveCount(2);
    const lefts = await plots.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    expect(lefts[0]).toBe(lefts[1]);
    await expect(form.locator('figure').first()).toContainText('Last 1 s');
  });
  await test.step('a value is read by pointer, keys, and as a table', async () => {
    const chart = form.getByRole('slider', { name: 'Admitted per second' });
    await chart.press('Home');
    const first = await chart.getAttribute('aria-valuetext');
    expect(first).toMatch(/^\d\d:\d\d:\d\d, Current limit \d+\/s, New limit \d+\/s$/);
    await chart.locator('svg').hover({ position: { x: 1, y: 1 } });
    await expect(chart, 'the first second').toHaveAttribute('aria-valuetext', first ?? '');
    const header = form.getByRole('table', { name: 'Admitted per second' }).getByRole('columnheader');
    await expect(header).toHaveText(['Current limit', 'New limit']);
  });
  await test.step('on a phone, the numbers are a table that fits', async () => {
    await page.setViewportSize({ width: 375, height: 812 });
    const table = form.getByRole('table').first();
    expect(await table.evaluate((element) => getComputedStyle(element).display)).toBe('table');
    const [left, right] = await table.evaluate((element) => {
      const box = element.getBoundingClientRect();
      return [box.left, box.right];
    });
    expect(left).toBeGreaterThan(0);
    expect(right).toBeLessThan(375);
    await expect(form.getByRole('button', { name: 'Apply' })).toBeInViewport();
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  await form.getByRole('button', { name: 'Apply' }).click();
  await expect(ops.level(...everyone)).toContainText('25 per 10 s');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(await ops.openLevel(...everyone)).toHaveAttribute('aria-valuenow', '0');
  expect(await sendCrowd(request, crowd)).toEqual(after);
});

test('a change can be undone for a minute, also from another section', async ({ page }) => {
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const { form } = await ops.tryLimit(...everyone, 40);
  await form.getByRole('button', { name: 'Apply' }).click();
  const row = ops.level(...everyone);
  await expect(row).toContainText('40 per 10 s');
  await page.getByRole('link', { name: 'Overview' }).click();
  const status = page
    .getByRole('status')
    .filter({ hasText: 'Flash sale, Everyone: 100 per 10 s → 40 per 10 s' });
  await expect(status).toContainText('40 per 10 s, enforced. In effect on every node.');
  await expect(status.getByRole('button', { name: 'Undo' })).toHaveText(/^Undo\(\d+ s\)$/);
  const used = ops.levels.getByRole('row', { name: everyone.join(' ') });
  await expect(used).toContainText('/ 40');
  await status.getByRole('button', { name: 'Undo' }).click();
  await expect(
    page.getByText('Undone. Flash sale, Everyone: 40 per 10 s → 100 per 10 s, enforced.'),
  ).toBeVisible();
  expect(await used.textContent(), 'the row is not older than the note').toContain('/ 100');
  const close = page.getByRole('button', { name: 'Close' });
  await expect(close, 'the focus has a next place').toBeFocused();
  await close.press('Enter');
  await expect(close).toBeHidden();
  await page.getByRole('link', { name: 'Limits' }).click();
  await expect(row).toContainText('100 per 10 s');
  await expect(row).not.toContainText('changed');
  const entry = page.getByRole('table', { name: 'Operator log' }).getByRole('row').nth(1);
  await expect(entry).toContainText(/Limit 40 per 10.s → 100 per 10.s/);
  await expect(entry).toContainText('Undo of the previous change');
});

test('a change without an answer is pending at once, then not confirmed, and can be sent again', async ({
  page,
}) => {
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  let fail = (): void => undefined;
  const isFailing = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const lose = async (route: Route) => {
    await isFailing;
    await route.fulfill({ status: 503 });
  };
  await page.route('**/api/trpc/limit.update*', lose, { times: 1 });
  const { form } = await ops.tryLimit(...everyone, 40);
  await form.getByRole('button', { name: 'Apply' }).click();
  const pending = form.getByRole('button', { name: 'Applying…' });
  await expect(pending).toHaveAttribute('aria-disabled', 'true');
  fail();
  await expect(form).toContainText(/Not confirmed\. The limit is now 100 per 10.s/);
  await form.getByRole('button', { name: 'Retry' }).click();
  await expect(ops.level(...everyone)).toContainText('40 per 10 s');
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
});

test('an undo does not overwrite the later change of another operator', async ({ page, request }) => {
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const { form } = await ops.tryLimit(...everyone, 40);
  await form.getByRole('button', { name: 'Apply' }).click();
  await expect(ops.level(...everyone)).toContainText('40 per 10 s');
  await signInOperator(request);
  // The page reads the later change only after the click.
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/trpc/*limit.list*', async (route) => {
    await isReleased;
    await route.continue();
  });
  const later = { policy: 'coupon.seckill', level: 'global', limit: 30 };
  expect((await request.post('/api/trpc/limit.update', { data: later })).status()).toBe(200);
  await page.getByRole('button', { name: 'Undo' }).click();
  release();
  const note = page.getByText('Someone else has changed this limit since');
  await expect(note).toContainText('Now Flash sale, Everyone: 30 per 10 s, enforced.');
  await expect(ops.level(...everyone)).toContainText('30 per 10 s');
});

test('the note of a change does not outlive it: another operator resets the limit', async ({
  page,
  request,
}) => {
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const { form } = await ops.tryLimit(...everyone, 40);
  await form.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('link', { name: 'Alerts' }).click();
  const note = page.getByRole('status').filter({ hasText: 'Flash sale, Everyone' });
  await expect(note).toContainText('40 per 10 s, enforced. In effect on every node.');
  await signInOperator(request);
  const reset = { policy: 'coupon.seckill', level: 'global' };
  expect((await request.post('/api/trpc/limit.reset', { data: reset })).status()).toBe(200);
  await expect(note).toHaveText(
    /^Changed again since\. Flash sale, Everyone: 40 per 10.s → 100 per 10.s, enforced\./,
  );
  await expect(note.getByRole('button', { name: 'Undo' })).toBeHidden();
});

test('the dialog of a limit is read in full, explains an invalid value, and confirms that a level is turned off', async ({
  page,
}) => {
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const form = await ops.openLimit('merchant', 'Each IP address');
  await expect(ops.limitDialog).toMatchAriaSnapshot(`
    - 'heading "Change limit: Merchant search, Each IP address" [level=2]'
    - paragraph:
      - code: merchant
    - form "Change limit of Merchant search":
      - spinbutton "Limit (calls)": "5"
      - paragraph: Now 5
      - spinbutton "Window": "1"
      - paragraph: Now 1 s
      - combobox "Unit"
      - group "Mode (now Enforced)":
        - radio "Enforced" [checked]
        - radio "Shadow"
        - radio "Off"
      - textbox "Reason (optional, for the log)"
      - region "Impact"
      - button "Apply" [disabled]
      - button "Cancel"
  `);
  const limit = form.getByLabel('Limit (calls)');
  await limit.fill('2000000');
  await expect(limit).toHaveAccessibleDescription('Now 5 From 1 to 1,000,000.');
  await expect.poll(() => isIdle(page)).toBe(true);
  await limit.fill('0');
  await expect(limit).toHaveAccessibleDescription('Now 5 Enter a whole number of at least 1.');
  const apply = form.getByRole('button', { name: 'Apply' });
  await expect(apply, 'no numbers to apply').toHaveAttribute('aria-disabled', 'true');

  await limit.fill('2');
  await expect(apply).not.toHaveAttribute('aria-disabled');
  await expectNoViolations(page);

  await limit.fill('5');
  await form.getByRole('radio', { name: 'Off' }).check({ force: true });
  await expect(apply).not.toHaveAttribute('aria-disabled');
  await apply.click();
  const dialog = page.getByRole('dialog', { name: 'Turn off this limit?' });
  await expect(dialog.getByRole('button', { name: 'Keep it on' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(form.getByRole('radio', { name: 'Enforced' }), 'the mode in effect').toBeChecked();
  await expect(apply).toBeFocused();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(ops.level('merchant', 'Each IP address')).toContainText('enforced');
});

test('a preview follows the typing, is of the last value, and changes nothing', async ({ page }) => {
  const tried: unknown[] = [];
  page.on('request', (sent) => {
    if (sent.url().includes('ops.whatIf')) tried.push(sent.postDataJSON().limit);
  });
  const ops = opsPage(page);
  await ops.open('/ops/limits');
  const form = await ops.openLimit(...everyone);
  const limit = form.getByLabel('Limit (calls)');
  const apply = form.getByRole('button', { name: 'Apply' });
  await limit.pressSequentially('250', { delay: 50 });
  await expect(apply, 'no numbers yet').toHaveAttribute('aria-disabled', 'true');
  await expect(apply).not.toHaveAttribute('aria-disabled');
  await limit.press('Backspace');
  await expect(apply, 'the numbers are those of 250').toHaveAttribute('aria-disabled', 'true');
  await expect(apply).not.toHaveAttribute('aria-disabled');
  expect(tried).toEqual([250, 25]);

  await page.route('**/api/trpc/ops.whatIf', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await limit.fill('60');
  await form.getByRole('button', { name: 'Preview impact' }).click();
  await expect(apply, 'a lost preview can be repeated').not.toHaveAttribute('aria-disabled');

  // The next call is never answered.
  await page.route('**/api/trpc/ops.whatIf', () => undefined);
  await limit.fill('50');
  await expect(form.getByRole('progressbar')).toBeVisible();
  await expect(apply, 'no preview was shown').toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');
  await expect(ops.limitDialog).toBeHidden();
  await expect(ops.level(...everyone)).toContainText('100 per 10 s');
});

/** Returns true if the page is idle at some instant of the next second. */
function isIdle(page: Page): Promise<boolean> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        requestIdleCallback(({ didTimeout }) => resolve(!didTimeout));
      }),
  );
}

async function couponWithMostStock(request: APIRequestContext): Promise<string> {
  const { coupons }: { coupons: { id: string; stock: { remaining: number } | null }[] } = (
    await (await request.get('/api/trpc/coupon.list')).json()
  ).result.data;
  const left = (coupon: (typeof coupons)[number]) => coupon.stock?.remaining ?? 0;
  return coupons.toSorted((one, other) => left(other) - left(one))[0]?.id ?? '';
}

async function sendCrowd(
  request: APIRequestContext,
  crowd: { couponId: string; shoppers: number },
): Promise<{ admitted: number; refused: number }> {
  const answer = await request.post('/api/trpc/demo.crowd', { data: { ...crowd, overMs: 0 } });
  const { admitted, refused } = (await answer.json()).result.data;
  return { admitted, refused };
}

test('the limits and the operator log have a CSV file', async ({ page, request }) => {
  const change = { policy: 'merchant', level: 'ip', limit: 6, why: 'CSV, "quoted"' };
  await signInOperator(request);
  expect((await request.post('/api/trpc/limit.update', { data: change })).status()).toBe(200);
  await opsPage(page).open('/ops/limits');
  const read = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Download CSV: ${name}` }).click(),
    ]);
    return (await readFile(await download.path(), 'utf8')).split('\r\n');
  };
  const limits = await read('Limits');
  expect(limits.find((line) => line.startsWith('merchant,ip,'))).toMatch(/^merchant,ip,6,1,5,1,enforce$/);
  const log = await read('Operator log');
  expect(log[1]).toMatch(/^\d{4}-.*,limit\.update,merchant:ip,.*limit: 5? ?→ 6.*,"CSV, ""quoted"""$/);
  expect((await request.post('/api/trpc/limit.reset', { data: change })).status()).toBe(200);
});
