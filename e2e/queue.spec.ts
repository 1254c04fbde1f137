import type { APIRequestContext, Page } from '@playwright/test';
import {
  callSale,
  closeSale,
  endBusySale,
  findCouponId,
  joinQueue,
  newShopper,
  openBusySale,
  setWindow,
} from './busy-sale';
import { expect } from './fixtures';
import { test } from './own-floodgate';
import { press, signInShopper } from './sale-page';

/** The title of the sale, which is new in each test. */
let title = '';

test.use({ expectedStatuses: [429] });

test.afterEach(({ playwright, floodgate }) => endBusySale({ playwright, floodgate }, title));

test('a shopper joins a full window, sees the place after a reload and in the wallet, and leaves on both pages', async ({
  page,
  playwright,
  floodgate,
}) => {
  title = await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  const coupon = await joinQueue(page, title);
  const leave = coupon.getByRole('button', { name: /^Leave the queue/ });
  await expect(leave).toBeFocused();
  await expect(coupon).toContainText('You’re next.');
  await expect(coupon).toContainText(/Your turn in \d+\smin\s\d\d\ss/);
  await expect(coupon).toContainText('19 coupons left.');
  await expect(coupon, 'what happens next').toContainText('Then you have a few minutes to pay');
  await expect(coupon).toContainText('You can close this page: your place is kept.');

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

  await joinQueue(page, title);
  await page.goto('/wallet');
  await waiting.getByRole('button', { name: `Leave the queue ${title}` }).press('Enter');
  await expect(waiting).toBeHidden();
  await expect(page.getByRole('main').locator(':focus'), 'the focus has a next place').toHaveCount(1);
  await page.goto('/');
  await expect(coupon.getByRole('button', { name: /^Grab/ })).toBeVisible();
});

test('a higher limit of an operator replaces the offer to join by Grab on an open page', async ({
  page,
  playwright,
  floodgate,
}) => {
  title = await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await page.goto('/');
  await press(couponOf(page).getByRole('button', { name: /^Grab/ }), 'coupon.seckill');
  await expect(couponOf(page)).toContainText('Very busy');
  await expect(couponOf(page).getByRole('button', { name: /^Join the queue/ })).toBeVisible();
  await expect(couponOf(page)).toContainText('Join the queue, and we’ll get it for you');
  await setWindow({ playwright, floodgate }, 120_000, 100);
  await expect(couponOf(page).getByRole('button', { name: /^Grab/ })).toBeVisible({ timeout: 2_000 });
  await expect(couponOf(page), 'the refusal stays for 8 s, to be read').toContainText('Very busy');
  await expect(couponOf(page).getByRole('button', { name: /^Join the queue/ })).toBeVisible();
  await expect(couponOf(page)).toContainText('You can try again now.');
  await floodgate.endSale(title);
  await expect(couponOf(page)).toContainText('This sale is over', { timeout: 8_000 });
  await expect(couponOf(page)).not.toContainText('You can try again now.');
});

for (const [turns, limit] of [
  ['one turn after the other', 1],
  ['also if its turn comes at the same time', 2],
] as const) {
  test(`the last coupon ends the wait of all others with a reason, ${turns}`, async ({
    page,
    playwright,
    floodgate,
  }) => {
    title = await openBusySale({ playwright, floodgate }, { stock: 2 });
    const other = await newShopper({ playwright, floodgate });
    const couponId = await findCouponId(other, title);
    expect(await callSale(other, { couponId, queue: true })).toMatchObject({ outcome: 'queued' });
    await signInShopper(page);
    await joinQueue(page, title);
    await expect(couponOf(page)).toContainText(
      '1 left, 1 ahead of you. You’ll get one only if others drop out',
    );
    await expect(couponOf(page).getByRole('timer').first(), 'no turn is promised').toHaveText(
      /^Only if others drop out/,
    );
    await setWindow({ playwright, floodgate }, 1_000, limit);
    await expect(couponOf(page)).toContainText('All gone before your turn');
    await cancelOrder(other);
    await expect(couponOf(page).getByRole('button', { name: /^Grab/ })).toBeVisible();
    await expect(couponOf(page), 'the reason stays when stock comes back').toContainText(
      'All gone before your turn',
    );
    await expect(couponOf(page)).toContainText('Some are back on sale now.');
    await other.dispose();
  });
}

test('the turn comes by itself: two people and a poller in three browsers get their coupons in the order of joining', async ({
  page,
  browser,
  playwright,
  floodgate,
}) => {
  title = await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await joinQueue(page, title);
  const poller = await browser.newPage({ baseURL: floodgate.url });
  await signInShopper(poller);
  await joinQueue(poller, title);
  await expect(couponOf(poller)).toContainText(
    'Number 2 in the queue, 1 shopper ahead of you for this coupon.',
  );
  const second = await browser.newPage({ baseURL: floodgate.url });
  await signInShopper(second);
  await joinQueue(second, title);
  await expect(couponOf(second)).toContainText(
    'Number 3 in the queue, 2 shoppers ahead of you for this coupon.',
  );

  // A script in the poller's page calls all the time. Places free every three seconds.
  const couponId = await findCouponId(poller.request, title);
  const isOver = new AbortController();
  const polling = pollFrom(poller, { couponId, signal: isOver.signal });
  await setWindow({ playwright, floodgate }, 3_000);
  await expect(couponOf(page)).toContainText('Held, pay within');
  await expect(couponOf(page).getByRole('link', { name: /^Pay/ })).toBeVisible();
  await expect(couponOf(second)).toContainText('Held, pay within');
  isOver.abort();
  const answers = await polling;
  expect(answers.get('TOO_MANY_REQUESTS'), 'calls without the queue').toBeGreaterThan(0);
  expect(answers.has('accepted'), 'a call without the queue gets a coupon').toBe(false);
  const servedAt = await Promise.all([page, poller, second].map(({ request }) => servedAtOf(request)));
  expect(servedAt, 'turns in the order of joining').toEqual(servedAt.toSorted((one, other) => one - other));
  expect(new Set(servedAt).size).toBe(3);
  await second.close();
  await poller.close();
});

test('a shopper who joins while the page reads its tickets for the first time gets the turn', async ({
  page,
  playwright,
  floodgate,
}) => {
  title = await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await page.goto('/');
  const coupon = couponOf(page);
  const joined = coupon.getByText('You’re in the queue').waitFor();
  const answered = page.waitForResponse(/queue\.mine/);
  // The first read lists no ticket, and its answer comes after the join.
  const hasRead = new Promise<void>((onRead) => {
    void page.route(
      /queue\.mine/,
      async (route) => {
        const response = await route.fetch();
        onRead();
        await joined;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
  });
  await press(coupon.getByRole('button', { name: /^Grab/ }), 'coupon.seckill');
  await hasRead;
  await coupon.getByRole('button', { name: /^Join the queue/ }).click();
  await answered;
  await setWindow({ playwright, floodgate }, 1_000);
  await expect(coupon).toContainText('Held, pay within');
});

test('a closed coupon ends the wait of a page at once, also if it has just read its ticket', async ({
  page,
  playwright,
  floodgate,
}) => {
  title = await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  const coupon = await joinQueue(page, title);
  const wallet = await page.context().newPage();
  await wallet.goto('/wallet');
  const queue = wallet.getByRole('region', { name: 'In the queue' });
  await expect(queue).toContainText('You’re next.');
  await page.reload();
  await expect(coupon).toContainText('You’re next.');
  await closeSale({ playwright, floodgate }, title);
  // Both read again after 5 s in any case.
  const soon = { timeout: 3_500 };
  const ended = wallet.getByRole('region', { name: 'No longer in the queue' });
  await Promise.all([
    expect(coupon).toContainText('The sale ended early, before your turn', soon),
    expect(ended).toContainText('The sale ended early, before your turn', soon),
  ]);
  await expect(coupon.getByRole('button').first(), 'its card agrees').toHaveText('Ended', { timeout: 500 });
  await expect(coupon.getByRole('meter'), 'nothing is left to buy').toHaveCount(0);
  await page.setViewportSize({ width: 375, height: 667 });
  // Another coupon may be featured by now; then this one has no bar at all.
  const positions = () =>
    coupon.locator('[data-bar]').evaluateAll((bars) => bars.map((bar) => getComputedStyle(bar).position));
  await expect.poll(positions, 'no fixed bar without an action').not.toContain('fixed');
  await expect(coupon).toContainText('You weren’t charged.');
  await expect(ended).toContainText('You weren’t charged.');
  await expect(ended.getByRole('link', { name: /^Join again/ })).toBeHidden();
  await wallet.close();
});

// The last tests: they empty the store, whose sales are then rebuilt.
test('the sale page and the wallet show within 1 s that the store has lost a ticket', async ({
  page,
  playwright,
  floodgate,
}) => {
  title = await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  const coupon = await joinQueue(page, title);
  const wallet = await page.context().newPage();
  await wallet.goto('/wallet');
  await expect(wallet.getByRole('region', { name: 'In the queue' })).toContainText('You’re next.');
  const lost = 'We lost your place in the queue';
  const shown = [page, wallet].map((one) => shownAt(one, lost));
  // The pages have begun to watch before the store is emptied.
  await Promise.all([page, wallet].map((one) => one.waitForFunction(() => Reflect.has(window, 'watching'))));
  const emptiedAt = Date.now();
  await floodgate.redis.run('FLUSHALL');
  for (const at of await Promise.all(shown)) {
    test.info().annotations.push({ type: 'shown after', description: `${at - emptiedAt} ms` });
    expect(at - emptiedAt).toBeLessThan(1_000);
  }
  await expect(coupon).toContainText('You weren’t charged.');
  await expect(coupon).toContainText('You can join again.');
  await closeSale({ playwright, floodgate }, title);
  await expect(coupon).toContainText('Something went wrong on our side, and the sale has ended.');
  await expect(coupon, 'no one can join an ended sale').not.toContainText('You can join again.');
  await wallet.close();
});

test('a wallet that opens after the store has lost a ticket leads to joining again', async ({
  page,
  playwright,
  floodgate,
}) => {
  title = await openBusySale({ playwright, floodgate });
  await signInShopper(page);
  await joinQueue(page, title);
  // The page stores a ticket for later pages once the server has listed it.
  const readTickets = () => page.evaluate(() => localStorage.getItem('floodgate.queue.tickets'));
  await expect.poll(readTickets).toContain(title);
  await page.goto('/merchants');
  await floodgate.redis.run('FLUSHALL');
  await page.goto('/wallet');
  const ended = page.getByRole('region', { name: 'No longer in the queue' });
  await expect(ended).toContainText('We lost your place in the queue');
  await expect(page.getByRole('heading', { name: 'Nothing here yet' })).toBeHidden();
  await expect(ended).toContainText('You weren’t charged.');
  await ended.getByRole('link', { name: `Join again ${title}` }).click();
  await expect(couponOf(page)).toBeInViewport();
});

const couponOf = (page: Page) => page.getByRole('article', { name: title });

/** Returns the instant at which the only ticket of a shopper was served. */
async function servedAtOf(request: APIRequestContext): Promise<number> {
  const { tickets } = (await (await request.get('/api/trpc/queue.mine')).json()).result.data;
  expect(tickets).toEqual([expect.objectContaining({ state: 'served' })]);
  return tickets[0].servedAt;
}

/** The duration of the story is below this number of calls, so a broken story ends. */
const MAX_POLLS = 5_000;

/**
 * Sends calls without the queue by a script of a page, one after the other, until the signal aborts. Returns the number of
 * each outcome and of each error code.
 */
async function pollFrom(
  page: Page,
  { couponId, signal }: { couponId: string; signal: AbortSignal },
): Promise<Map<string, number>> {
  const answers = new Map<string, number>();
  for (let call = 0; call < MAX_POLLS && !signal.aborted; call += 1) {
    const answer: string = await page.evaluate(
      async (input) => {
        const reply = await fetch('/api/trpc/coupon.seckill', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...input, requestId: crypto.randomUUID() }),
        });
        const { result, error } = await reply.json();
        return result?.data.outcome ?? error.data.code;
      },
      { couponId },
    );
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  return answers;
}

/** Cancels the only order of a shopper, whose coupon goes back on sale. */
async function cancelOrder(shopper: APIRequestContext): Promise<void> {
  const { result } = await (await shopper.get('/api/trpc/order.list')).json();
  const [{ id }] = result.data.orders;
  expect((await shopper.post('/api/trpc/order.cancel', { data: { id } })).status()).toBe(200);
}

/** Returns the instant at which a page first shows a text. */
function shownAt(page: Page, text: string): Promise<number> {
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => {
          if (!document.body.textContent.includes(wanted)) return;
          observer.disconnect();
          resolve(Date.now());
        });
        observer.observe(document.body, { childList: true, characterData: true, subtree: true });
        Reflect.set(window, 'watching', true);
      }),
    text,
  );
}
