import { type APIRequestContext, expect, test } from './fixtures';
import { findLiveCoupon } from './live-coupon';
import { signInOperator } from './ops-page';
import { press, salePage } from './sale-page';

test.use({ expectedStatuses: [429] });

test('a shopper who keeps claiming beyond the limit is warned, then banned with a countdown, and admitted when the ban is lifted', async ({
  page,
  playwright,
  baseURL,
}) => {
  const sale = salePage(page);
  await sale.open();
  const coffee = sale.coupon('Filter coffee before ten');
  const button = coffee.getByRole('button');
  const banner = page.getByRole('main').getByRole('status').filter({ hasText: 'claim again in' });

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
    await expect(button).toHaveText(/^Retry in \d+\ss$/);
  });

  await test.step('the fifth bans the shopper and shows the time', async () => {
    expect(await claimStatuses(page.request, 2)).toEqual([429, 429]);
    await page.reload();
    await expect(banner).toHaveText(
      /^Blocked until \d.*, for claiming only\. .*over the limit of 3 per minute.*29\smin\s\d\d\ss\.$/,
    );
    await expect(button).toHaveText('Blocked');
    await expect(button).toHaveAccessibleDescription(/^Blocked until \d/);
    await expect(page.getByText(/^Blocked for another 29\smin\s\d\d\ss$/)).toBeVisible();
  });

  await test.step('one banner counts down, not every button', async () => {
    const claims = page.getByRole('region', { name: 'Claim any time' }).getByRole('button');
    expect(await claims.allTextContents()).toEqual(Array(await claims.count()).fill('Blocked'));
    expect(await claims.count()).toBeGreaterThan(5);
  });

  await test.step('flash coupons can be grabbed, as the banner states', async () => {
    await expect(banner).toContainText('You can still grab flash coupons');
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
    await expect(button).toHaveText(/^(Retry in \d+\ss|Claim another)$/, { timeout: 10_000 });
    await expect(banner).toBeHidden();
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
