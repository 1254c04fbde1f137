import { randomUUID } from 'node:crypto';
import type { APIRequestContext, Page, PlaywrightWorkerArgs } from '@playwright/test';
import { expect } from './fixtures';
import { signInOperator } from './ops-page';
import { test } from './own-floodgate';
import { signInShopper } from './sale-page';

const everyone = { policy: 'coupon.seckill', level: 'global' };
/** The title of the sale, which is new in each test. */
let title = '';

test.use({ expectedStatuses: [429] });

/** Sends calls with a session of its own. */
async function newRequest(playwright: PlaywrightWorkerArgs['playwright'], url: string) {
  return playwright.request.newContext({ baseURL: url, extraHTTPHeaders: { origin: url } });
}

/** Lets one call in, in any window of this length. */
async function setWindow({ playwright, floodgate }: Own, windowMs: number): Promise<void> {
  const request = await newRequest(playwright, floodgate.url);
  await signInOperator(request);
  const change = await request.post('/api/trpc/limit.update', { data: { ...everyone, limit: 1, windowMs } });
  expect(change.status()).toBe(200);
  await request.dispose();
}

/** Opens a sale, and makes its window one place in two minutes, which a shopper has just taken. */
async function openBusySale({ playwright, floodgate }: Own, stock = 20): Promise<void> {
  title = `Queued tea ${randomUUID().slice(0, 4)}`;
  await floodgate.addSale(title, { opensInMs: -1_000, stock });
  await setWindow({ playwright, floodgate }, 500);
  const request = await newRequest(playwright, floodgate.url);
  await expect(async () => {
    await request.post('/api/trpc/auth.signInDemo', { data: {} });
    expect(await call(request, { queue: false })).toMatchObject({ outcome: 'accepted' });
  }).toPass({ timeout: 15_000 });
  await request.dispose();
  await setWindow({ playwright, floodgate }, 120_000);
}

type Own = Pick<Parameters<Parameters<typeof test>[2]>[0], 'playwright' | 'floodgate'>;

async function idOf(request: APIRequestContext): Promise<string> {
  const { result } = await (await request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; title: string }[] = result.data.coupons;
  return coupons.find((coupon) => coupon.title === title)?.id ?? '';
}

/** Calls the sale like a script. Returns the data of the answer, also of a refusal. */
async function call(
  request: APIRequestContext,
  { queue, couponId }: { queue: boolean; couponId?: string },
): Promise<unknown> {
  const data = { couponId: couponId ?? (await idOf(request)), requestId: randomUUID(), queue };
  const answer = await (await request.post('/api/trpc/coupon.seckill', { data })).json();
  return answer.result?.data ?? answer.error.data;
}

/** Returns the instant of the only order of a shopper. */
async function orderedAt(request: APIRequestContext): Promise<number> {
  const { orders } = (await (await request.get('/api/trpc/order.list')).json()).result.data;
  expect(orders).toHaveLength(1);
  return orders[0].createdAt;
}

const couponOf = (page: Page) => page.getByRole('article', { name: title });

/** Presses Grab in a full window, and joins. */
async function join(page: Page): Promise<void> {
  await page.goto('/');
  const coupon = couponOf(page);
  const enter = coupon.getByRole('button', { name: /^Join the queue/ });
  await expect(async () => {
    // A press before the page is interactive does nothing. A press that is answered late has replaced Grab.
    if (!(await enter.isVisible()))
      await coupon.getByRole('button', { name: /^Grab/ }).click({ timeout: 2_000 });
    await expect(coupon).toContainText('Join the queue, and we’ll get it for you', { timeout: 2_000 });
    await enter.click({ timeout: 2_000 });
  }).toPass({ timeout: 20_000 });
  await expect(coupon).toContainText('You’re in the queue');
}

test.afterEach(async ({ playwright, floodgate }) => {
  await floodgate.endSale(title);
  const request = await newRequest(playwright, floodgate.url);
  await signInOperator(request);
  await request.post('/api/trpc/limit.reset', { data: everyone });
  await request.dispose();
});

test('a shopper joins a full window, sees the place after a reload and in the wallet, and leaves by keyboard', async ({
  page,
  playwright,
  floodgate,
}) => {
  await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await join(page);
  const coupon = couponOf(page);
  const leave = coupon.getByRole('button', { name: /^Leave the queue/ });
  await expect(leave).toBeFocused();
  await expect(coupon).toContainText('You’re next.');
  await expect(coupon).toContainText(/Your turn in \d+:\d\d/);
  await expect(coupon).toContainText('19 coupons left.');

  await page.reload();
  await expect(coupon).toContainText('You’re next.');
  await page.goto('/wallet');
  const waiting = page.getByRole('region', { name: 'In the queue' });
  await waiting.getByRole('link', { name: title }).click();
  await expect(leave, 'the ticket leads to its coupon').toBeInViewport({ ratio: 1 });
  await leave.focus();
  await page.keyboard.press('Enter');
  await expect(coupon).toContainText('You left the queue.');
  await expect(coupon.getByRole('button').first()).toBeFocused();
});

test('a shopper leaves the queue in the wallet', async ({ page, playwright, floodgate }) => {
  await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await join(page);
  await page.goto('/wallet');
  const waiting = page.getByRole('region', { name: 'In the queue' });
  await waiting.getByRole('button', { name: `Leave the queue ${title}` }).press('Enter');
  await expect(waiting).toBeHidden();
  await expect(page.getByRole('main').locator(':focus'), 'the focus has a next place').toHaveCount(1);
  await page.goto('/');
  await expect(couponOf(page).getByRole('button', { name: /^Grab/ })).toBeVisible();
});

test('the turn comes by itself, and the coupon is held', async ({ page, playwright, floodgate }) => {
  await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await join(page);
  await setWindow({ playwright, floodgate }, 1_000);
  await expect(couponOf(page)).toContainText('Held, pay within', { timeout: 30_000 });
  await expect(couponOf(page).getByRole('link', { name: /^Pay/ })).toBeVisible();
});

test('the last coupon ends the wait of all others with a reason', async ({ page, playwright, floodgate }) => {
  await openBusySale({ playwright, floodgate }, 2);
  const other = await newRequest(playwright, floodgate.url);
  await other.post('/api/trpc/auth.signInDemo', { data: {} });
  expect(await call(other, { queue: true })).toMatchObject({ outcome: 'queued' });
  await signInShopper(page);
  await join(page);
  await expect(couponOf(page)).toContainText(
    '1 left, 1 ahead of you. You’ll get one only if others drop out',
  );
  await setWindow({ playwright, floodgate }, 1_000);
  await expect(couponOf(page)).toContainText('All gone before your turn', { timeout: 30_000 });
  await other.dispose();
});

test('two people and a poller in three browsers get their coupons in the order of joining', async ({
  page,
  browser,
  playwright,
  floodgate,
}) => {
  await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await join(page);
  const poller = await browser.newPage({ baseURL: floodgate.url });
  await signInShopper(poller);
  await join(poller);
  await expect(couponOf(poller)).toContainText(
    'Number 2 in the queue, 1 shopper ahead of you for this coupon.',
  );
  const second = await browser.newPage({ baseURL: floodgate.url });
  await signInShopper(second);
  await join(second);
  await expect(couponOf(second)).toContainText(
    'Number 3 in the queue, 2 shoppers ahead of you for this coupon.',
  );

  // A script in the poller's page calls all the time. Places free every three seconds.
  const couponId = await idOf(poller.request);
  const isOver = new AbortController();
  const polling = (async () => {
    while (!isOver.signal.aborted) await callFromPage(poller, couponId);
  })();
  await setWindow({ playwright, floodgate }, 3_000);
  await expect(couponOf(page)).toContainText('Held, pay within', { timeout: 30_000 });
  await expect(couponOf(second)).toContainText('Held, pay within', { timeout: 40_000 });
  isOver.abort();
  await polling;
  const boughtAt = await Promise.all([page, poller, second].map(({ request }) => orderedAt(request)));
  expect(boughtAt).toEqual(boughtAt.toSorted((one, other) => one - other));
  expect(new Set(boughtAt).size).toBe(3);
  await second.close();
  await poller.close();
});

// The last test: it empties the store, whose sales are then rebuilt.
test('a wallet shows that the store has lost a ticket, and leads back to its coupon', async ({
  page,
  playwright,
  floodgate,
}) => {
  await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await join(page);
  await page.goto('/wallet');
  const queue = page.getByRole('region', { name: 'In the queue' });
  await expect(queue).toContainText('You’re next.');
  await floodgate.redis.run('FLUSHALL');
  await expect(queue).toContainText('We lost your place in the queue');
  await expect(queue.getByRole('link', { name: title })).toHaveAttribute('href', /^\/#/);
});

/** Sends a call without a queue by a script of a page. */
async function callFromPage(page: Page, couponId: string): Promise<void> {
  await page.evaluate(
    async (input) => {
      await fetch('/api/trpc/coupon.seckill', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...input, requestId: crypto.randomUUID() }),
      });
    },
    { couponId },
  );
}
