import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { signInOperator } from './ops-page';
import { expectNoViolations } from './page-checks';
import { findLiveCoupon, press, salePage, signInShopper } from './sale-page';

test.use({ expectedStatuses: [429] });

test('three claims in a minute are admitted and announced once each, then each claim waits without a refusal', async ({
  page,
}) => {
  // A busy browser runs timers late.
  await page.addInitScript(() => {
    const start = window.setTimeout;
    const startLate = (run: TimerHandler, ms = 0, ...args: unknown[]) =>
      start(run, Math.max(ms, 50), ...args);
    window.setTimeout = Object.assign(startLate, start);
  });
  const sale = salePage(page);
  await sale.openEmpty();
  await expect(
    page.getByRole('region', { name: 'Claim any time' }).getByText('Each shopper can claim 3 per minute.'),
  ).toBeVisible();
  const popcorn = sale.coupon('Large popcorn with any ticket');
  const coffee = sale.coupon('Filter coffee before ten');
  await expect(coffee.getByText('€4.20 off')).toBeVisible();
  await expect(coffee, 'one price').not.toContainText('Free');

  await page.evaluate(recordStatuses);
  for (const count of ['1', '2', '3']) {
    await press(popcorn.getByRole('button'), 'coupon.claim');
    await expect(sale.own('Claiming')).toHaveAttribute('aria-valuenow', count);
  }
  await expect(popcorn).toContainText('It’s yours.');
  // A press would count as a violation, so the button is closed before it.
  await expect(coffee.getByRole('button')).toHaveAttribute('aria-disabled', 'true');
  await expect(coffee.getByRole('button')).toHaveText('Claim');
  await expect(coffee.getByRole('button')).toHaveAccessibleDescription(
    'You’ve reached the limit of 3 per minute.',
  );
  await expect(waitLine(page), 'one countdown for all buttons').toHaveText(claimsWait);

  const pace = () => readStatuses(page).then((said) => said.filter((text) => text.startsWith('Your tries')));
  await expect.poll(pace).toEqual(['Your tries: 3 of 3 in the last minute, full']);
  const said = await readStatuses(page);
  expect(said.filter((text) => /everyone/i.test(text))).toEqual([]);
  // The line about all claims counts down in a hidden text. An order that is written slowly is announced as such before its result. A card that is hydrated late changes the
  // time of its opening to that of the browser.
  const results = said.filter((text) => !/^(Held for you\.|Opens automatically|You’ve reached)/.test(text));
  expect(results.length, said.join('\n')).toBe(4);

  await page.reload();
  await expect(waitLine(page), 'also after a reload').toHaveText(claimsWait);
  await expect(coffee.getByRole('button')).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('link', { name: 'Wallet' }).first().click();
  await expect(page.getByRole('listitem').filter({ hasText: 'Large popcorn with any ticket' })).toHaveCount(
    3,
  );
});

const claimsWait = /^You’ve reached the limit of 3 per minute\. You can claim again in \d+\ss\.$/;

/** Locates the line that explains the closed buttons of all coupons to claim. */
function waitLine(page: Page): Locator {
  return page.getByRole('region', { name: 'Claim any time' }).getByRole('status').first();
}

/** Runs in the page: records each new text of a polite region. */
function recordStatuses(): void {
  const said: string[] = [];
  Reflect.set(window, 'said', said);
  const last = new WeakMap<Element, string>();
  for (const status of document.querySelectorAll('[role="status"]'))
    last.set(status, status.textContent ?? '');
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      const status = element?.closest('[role="status"]');
      const text = status?.textContent ?? '';
      if (!status || text === last.get(status)) continue;
      last.set(status, text);
      if (text !== '') said.push(text);
    }
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}

const readStatuses = (page: Page): Promise<string[]> => page.evaluate(() => Reflect.get(window, 'said'));

test('a fourth claim of a page that has not read the window is refused', async ({ page }) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.open();
  const couponId = await findLiveCoupon(page.request, 'claim');
  for (let claim = 0; claim < 3; claim += 1) {
    await page.request.post('/api/trpc/coupon.claim', { data: { couponId } });
  }
  const coffee = sale.coupon('Filter coffee before ten');
  await press(coffee.getByRole('button'), 'coupon.claim');
  await expect(coffee).toContainText('Too fast: 3 tries per minute');
  await expect(coffee).toContainText('You’re claiming coupons too fast.');
  await expect(waitLine(page)).toHaveText(claimsWait);
  await expectNoViolations(page);
});

test('a shopper who keeps claiming beyond the limit is warned, then banned with a countdown, and admitted when the ban is lifted', async ({
  page,
  playwright,
  baseURL,
}) => {
  const sale = salePage(page);
  await sale.open();
  const coffee = sale.coupon('Filter coffee before ten');
  const button = coffee.getByRole('button');
  const banner = waitLine(page);

  await test.step('three claims are admitted, and two more are refused and counted', async () => {
    await press(button, 'coupon.claim');
    await expect(coffee).toContainText('It’s yours.');
    // The page reads its window before the other claims, so that its button stays open.
    await expect(sale.own('Claiming')).toHaveAttribute('aria-valuenow', '1');
    expect(await claimStatuses(page.request, 4)).toEqual([200, 200, 429, 429]);
  });

  await test.step('the third refusal shows a warning', async () => {
    await press(button, 'coupon.claim');
    const warning = coffee.getByText(/^Warning: 3 tries refused\./);
    await expect(warning, 'a sentence below the heading').toHaveCSS('font-weight', '400');
    await expect(banner).toHaveText(claimsWait);
  });

  await test.step('the fifth bans the shopper and shows the time', async () => {
    expect(await claimStatuses(page.request, 2)).toEqual([429, 429]);
    await page.reload();
    await expect(banner).toHaveText(/^Blocked until \d.*over the limit of 3 per minute.*29\smin\s\d\d\ss\.$/);
    await expect(button).toHaveText('Blocked');
    await expect(button).toHaveAccessibleDescription(/^Blocked until \d/);
    await expect(page.getByText(/^Blocked for another 29\smin\s\d\d\ss$/)).toBeVisible();
  });

  await test.step('one line counts down, not every button', async () => {
    const claims = page.getByRole('region', { name: 'Claim any time' }).getByRole('button');
    expect(await claims.allTextContents()).toEqual(Array(await claims.count()).fill('Blocked'));
    expect(await claims.count()).toBeGreaterThan(5);
  });

  await test.step('flash coupons can be grabbed', async () => {
    await press(sale.grab, 'coupon.seckill');
    await expect(sale.gate).toContainText('Held, pay within');
  });

  await test.step('a reload shows the ban', async () => {
    await page.reload();
    await expect(banner).toHaveText(/29\smin\s\d\d\ss\.$/);
    await expect(button).toHaveText('Blocked');
  });

  await test.step('an operator lifts the ban, and the button counts down only what is left of the window', async () => {
    const operator = await playwright.request.newContext({ ...(baseURL !== undefined && { baseURL }) });
    await signInOperator(operator);
    const { result } = await (await operator.get('/api/trpc/ban.list')).json();
    const bans: { banId: string; policy: string; level: string; violations: number }[] = result.data.bans;
    const ban = bans.find(({ policy }) => policy === 'coupon.claim');
    expect(ban).toMatchObject({ level: 'user', violations: 5 });
    await call(operator, 'ban.lift', { banId: ban?.banId });
    await expect(button).toHaveText('Claim another');
    await expect(banner).toHaveText(/^$|^You’ve reached/);
    await operator.dispose();
  });
});

/** Claims as the visitor, without the page. Returns the statuses. */
async function claimStatuses(visitor: APIRequestContext, count: number): Promise<number[]> {
  const couponId = await findLiveCoupon(visitor, 'claim');
  const statuses: number[] = [];
  for (let claim = 0; claim < count; claim += 1) {
    statuses.push((await call(visitor, 'coupon.claim', { couponId })).status());
  }
  return statuses;
}

function call(by: APIRequestContext, procedure: string, data: unknown) {
  return by.post(`/api/trpc/${procedure}`, { data });
}
