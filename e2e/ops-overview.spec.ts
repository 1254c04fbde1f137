import type { APIRequestContext, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { opsPage, signInOperator } from './ops-page';
import { tabTo } from './page-checks';
import { findLiveCoupon } from './sale-page';

test.use({ expectedStatuses: [429] });

const everyone = ['coupon.seckill', 'Everyone'] as const;
const shopper = ['coupon.seckill', 'Each shopper'] as const;
/** The duration of a flood. */
const FLOOD_MS = 6_000;
const laptop = { width: 1_440, height: 900 };

test('a flood colours the page, and puts its level first on one screen', async ({ page, request }) => {
  const level = { policy: 'coupon.seckill', level: 'global' };
  await signInOperator(request);
  // A crowd of 100 is a flood, and leaves a busy machine the time to draw it.
  const change = { ...level, limit: 10, windowMs: 600_000 };
  expect((await request.post('/api/trpc/limit.update', { data: change })).status()).toBe(200);
  try {
    await page.setViewportSize(laptop);
    const ops = opsPage(page);
    await ops.open('/ops');
    const traffic = page.getByRole('region', { name: 'Traffic' });
    await expect(traffic).toContainText(/Quiet|Few calls|Normal traffic|Many refused|At the limit|Flood/);
    const calm = await readFlood(page);
    // The flood is over ten seconds after its last call, so a busy machine may miss one.
    await expect(async () => {
      const sent = sendFlood(page.request);
      await expect(traffic.getByRole('status')).toContainText('Flood', { timeout: FLOOD_MS + 5_000 });
      const flood = await readFlood(page);
      expect(flood.text).toContain('Mostly refused by Flash sale, Everyone');
      expect(flood.text).toMatch(/Refused \(10\ss\)[1-9]\d*\/s/);
      expect(flood.colour).not.toBe(calm.colour);
      expect(flood.figurePx, 'can be read from across the room').toBeGreaterThanOrEqual(36);
      expect(flood.firstRow).toMatch(/^Flash sale coupon\.seckillEveryone.*[1-9]\d*\/s refused/);
      expect(flood.isInView, 'the first row is on the first screen').toBe(true);
      await sent;
    }).toPass();
    const row = ops.levels.getByRole('row', { name: everyone.join(' ') });
    await expect(
      row.getByRole('img', { name: /^In the last ten minutes, [\d,]+ admitted and/ }),
    ).toBeVisible();
  } finally {
    expect((await request.post('/api/trpc/limit.reset', { data: level })).status()).toBe(200);
  }
});

test('the table is filtered, and its rows are opened and changed, by Tab and Enter', async ({ page }) => {
  await callSeckillOnce(page);
  const ops = opsPage(page);
  await ops.open('/ops');
  await expect(ops.opener(...everyone)).toBeVisible();
  const search = page.getByRole('searchbox', { name: 'Filter limits by name' });

  await test.step('the field shows the levels whose name contains the text, also quiet ones', async () => {
    await tabTo(page, search);
    await page.keyboard.type('signin');
    await expect(page.getByRole('status').filter({ hasText: '“signin”' })).toBeVisible();
    for (const header of await ops.levels.getByRole('rowheader').all()) {
      await expect(header).toContainText(/signin/i);
    }
  });

  await test.step('the button that shows all limits passes the focus to the table', async () => {
    const showAll = page.getByRole('button', { name: 'Show all limits' });
    await tabTo(page, showAll);
    await page.keyboard.press('Enter');
    await expect(showAll).toBeHidden();
    await expect(search).toHaveValue('');
    await expect(page.getByRole('main').locator(':focus')).toBeVisible();
  });

  await test.step('Enter opens the row and closes it', async () => {
    await search.fill('seckill');
    await tabTo(page, ops.opener(...shopper));
    const panel = page.getByRole('region', { name: shopper.join(' ') });
    await page.keyboard.press('Enter');
    await expect(panel.getByRole('meter')).toBeVisible();
    const chart = panel.getByRole('slider');
    await expect(chart, 'the row has the average of ten seconds').toHaveAttribute(
      'aria-valuetext',
      /^\d\d:\d\d:\d\d \(1.s\)/,
    );
    await page.keyboard.press('Enter');
    await expect(panel).toBeHidden();
  });

  await test.step('a limit can be changed from its row', async () => {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(ops.limitDialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(ops.limitDialog).toBeHidden();
  });
});

test('on a phone, a field filters the limits, and the order has a word', async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 812 });
  const ops = opsPage(page);
  await ops.open('/ops');
  await page.getByRole('searchbox', { name: 'Filter limits by name' }).fill('Coupon.Seckill ');
  const headers = ops.levels.getByRole('rowheader');
  await expect(headers).toHaveCount(2);
  await expect(headers.first()).toContainText('coupon.seckill');
  await page.getByRole('searchbox').fill('zzz');
  await expect(ops.levels.getByText('No limit contains “zzz”')).toBeVisible();
  await page.getByRole('button', { name: 'Show all limits' }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('');
  const order = page.getByRole('combobox', { name: 'Sort by' });
  await expect(order.locator('option:checked')).toHaveText('Default order');
  await order.selectOption('Traffic (10 min)');
  const direction = page.getByRole('button', { name: 'Descending. Switch to ascending' });
  await expect(direction).toHaveText('Descending');
  await direction.click();
  await expect(page.getByRole('button', { name: 'Ascending. Switch to descending' })).toHaveText('Ascending');
  await order.selectOption('Default order');
  await expect(direction).toBeHidden();
});

test('the order, the opened rows and the quiet levels are kept over a reload', async ({ page }) => {
  await callSeckillOnce(page);
  const ops = opsPage(page);
  await ops.open('/ops');
  await page.getByRole('button', { name: /^Show \d+ quiet/ }).click();
  const header = ops.levels.getByRole('columnheader', { name: 'Limit' });
  await header.getByRole('button').click();
  await ops.openLevel(...shopper);
  await page.reload();
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByRole('button', { name: /^Hide \d+ quiet/ })).toBeVisible();
  await expect(ops.opener(...shopper)).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByRole('region', { name: shopper.join(' ') })).toBeVisible();

  await page.getByRole('button', { name: /^Hide \d+ quiet/ }).click();
  await page.getByRole('button', { name: 'Back to the default order' }).click();
  await page.reload();
  await expect(page.getByRole('button', { name: /^Show \d+ quiet/ })).toBeVisible();
  await expect(page.getByText('The sale first')).toBeVisible();
  await expect(ops.levels.locator('[aria-sort]'), 'no column has the default order').toHaveCount(0);
});

test('a full window without refusals is not normal traffic, and a level in shadow shows its mode and its default', async ({
  page,
  request,
}) => {
  const full = { policy: 'coupon.seckill', level: 'global' };
  const shadow = { policy: 'merchant', level: 'ip' };
  await signInOperator(request);
  try {
    for (const change of [
      { ...full, limit: 1, windowMs: 30_000 },
      { ...shadow, mode: 'shadow', limit: 7 },
    ])
      expect((await request.post('/api/trpc/limit.update', { data: change })).status()).toBe(200);
    await callSeckillOnce(page);
    const ops = opsPage(page);
    await ops.open('/ops');
    const traffic = page.getByRole('region', { name: 'Traffic' }).getByRole('status');
    await expect(traffic).toContainText('At the limit');
    await expect(traffic).toContainText('Flash sale, Everyone: full now');
    await expect(ops.levels.getByRole('row', { name: everyone.join(' ') })).toContainText(/\d+ \/ 1 full/);
    const row = ops.levels.getByRole('row', { name: 'merchant Each IP address' });
    await expect(row).toContainText('shadow');
    await expect(row).toContainText('default 5 per second');
  } finally {
    for (const level of [full, shadow])
      expect((await request.post('/api/trpc/limit.reset', { data: level })).status()).toBe(200);
  }
});

test('the overview requests nothing besides its stream', async ({ page }) => {
  await page.addInitScript(() => {
    let ticks = 0;
    const Original = window.EventSource;
    class CountedSource extends Original {
      constructor(url: string | URL, options?: EventSourceInit) {
        super(url, options);
        if (!String(url).includes('/api/ops/live')) return;
        this.addEventListener('alive', () => {
          ticks += 1;
          Reflect.set(window, 'ticks', ticks);
        });
      }
    }
    window.EventSource = CountedSource;
  });
  await opsPage(page).open('/ops');
  await expect(page.getByText('healthy').first()).toBeVisible();
  /** Waits for heartbeats of the stream, which are five seconds apart. */
  const waitForTicks = (count: number) =>
    page.waitForFunction((wanted) => Number(Reflect.get(window, 'ticks')) >= wanted, count);
  await waitForTicks(1);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await waitForTicks(2);
  expect(requested).toEqual([]);
});

test('an operator closes and opens the queue of a level while no caller waits, by keyboard', async ({
  page,
}) => {
  const ops = opsPage(page);
  await ops.open('/ops');
  // A filtered level is shown whether it is quiet or not.
  await page.getByRole('searchbox').fill('seckill');
  await ops.openLevel(...everyone);
  const level = page.getByRole('region', { name: everyone.join(' ') });
  await expect(level).toContainText('No caller waits in the queue.');
  const queues = page.getByRole('table', { name: 'Queues' });
  await expect(queues).toBeHidden();

  const close = level.getByRole('button', { name: 'Close queue: Flash sale' });
  await expect(close).toHaveAccessibleDescription(
    'Closing it refuses new callers while the window is full. Waiting ones keep their turns.',
  );
  await close.focus();
  await page.keyboard.press('Enter');
  await expect(level).toContainText('closed');
  await expect(queues.getByRole('row', { name: /^Flash sale coupon\.seckill/ })).toContainText('closed');
  const open = level.getByRole('button', { name: 'Open queue: Flash sale' });
  await expect(open).toBeFocused();
  await expect(open).toHaveAccessibleDescription(/^Closed: new callers are refused/);

  await page.keyboard.press('Enter');
  await expect(level.getByText('closed', { exact: true })).toBeHidden();
  await expect(queues).toBeHidden();
});

/** Reads the traffic and the first row at one instant. */
function readFlood(page: Page) {
  return page.getByRole('region', { name: 'Traffic' }).evaluate((region) => {
    const figure = region.querySelector('dd');
    return {
      text: region.textContent ?? '',
      colour: getComputedStyle(region).backgroundColor,
      figurePx: figure ? Number.parseFloat(getComputedStyle(figure).fontSize) : 0,
      firstRow: document.querySelector('main tbody tr')?.textContent ?? '',
      isInView:
        (document.querySelector('main tbody tr')?.getBoundingClientRect().bottom ?? 0) <= window.innerHeight,
    };
  });
}

async function sendFlood(request: APIRequestContext): Promise<void> {
  const couponId = await findLiveCoupon(request, 'seckill');
  const crowd = { couponId, shoppers: 100, overMs: FLOOD_MS };
  expect((await request.post('/api/trpc/demo.crowd', { data: crowd })).status()).toBe(200);
}

/** Makes both levels of the sale busy. */
async function callSeckillOnce(page: Page): Promise<void> {
  await signInOperator(page.request);
  const couponId = await findLiveCoupon(page.request, 'seckill');
  await page.request.post('/api/trpc/coupon.seckill', { data: { couponId } });
}
