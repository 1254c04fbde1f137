import type { APIRequestContext, Page } from '@playwright/test';
import { expect } from './fixtures';
import { signInOperator } from './ops-page';
import { test } from './own-floodgate';
import { findLiveCoupon, press, salePage, signInShopper } from './sale-page';

test.use({ expectedStatuses: [429] });

/** An open page shows a change of another person within this time. */
const soon = { timeout: 2_000 };

async function call(by: APIRequestContext, procedure: string, data: unknown): Promise<void> {
  expect((await by.post(`/api/trpc/${procedure}`, { data })).status(), procedure).toBe(200);
}

/** Claims on another device of the shopper, until the shopper is banned. */
async function claimUntilBanned(page: Page): Promise<void> {
  const couponId = await findLiveCoupon(page.request, 'claim');
  for (let claim = 0; claim < 8; claim += 1) {
    await page.request.post('/api/trpc/coupon.claim', { data: { couponId } });
  }
}

async function liftBans(operator: APIRequestContext): Promise<void> {
  const { result } = await (await operator.get('/api/trpc/ban.list')).json();
  for (const { banId } of result.data.bans) await call(operator, 'ban.lift', { banId });
}

test('a ban from another device, and its end by an operator, are on an open page', async ({
  page,
  request,
}) => {
  await signInShopper(page);
  await signInOperator(request);
  const sale = salePage(page);
  await sale.open();
  const button = sale.coupon('Filter coffee before ten').getByRole('button');
  const banner = page.getByRole('main').getByRole('status').getByText('Blocked until');
  await expect(button).toHaveText('Claim');

  await claimUntilBanned(page);
  await expect(banner).toBeVisible(soon);
  await expect(button).toHaveText('Blocked');

  await liftBans(request);
  await expect(banner).toBeHidden(soon);
  await expect(button).toHaveText('Claim');
});

test('a personal limit of an operator is on an open page', async ({ page, request }) => {
  const sale = salePage(page);
  await sale.open();
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuemax', '5');
  const { result } = await (await page.request.get('/api/trpc/auth.me')).json();
  await signInOperator(request);
  await call(request, 'limit.person.set', {
    ...{ policy: 'coupon.seckill', level: 'user', subject: result.data.user.id },
    ...{ rule: { kind: 'numbers', limit: 9 }, why: 'a test' },
  });
  await expect(page.getByRole('meter', { name: 'Your limit: 9' })).toBeVisible(soon);
});

test('the title and the end of a coupon are on open pages: the sale, its merchant and the operators’ list', async ({
  page,
  otherPage,
  request,
}) => {
  await signInOperator(request);
  const { result } = await (await request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; kind: string; title: string; merchantId: string }[] = result.data.coupons;
  const coupon = coupons.find(({ title }) => title === 'Filter coffee before ten');
  const sale = salePage(page);
  await sale.open();
  await otherPage.goto(`/merchants/${coupon?.merchantId}`);
  await expect(otherPage.getByText('Filter coffee before ten')).toBeVisible();

  await call(request, 'coupon.update', {
    id: coupon?.id,
    title: { en: 'Filter coffee before nine', zh: '九点前的手冲咖啡' },
  });
  await expect(sale.coupon('Filter coffee before nine')).toBeVisible(soon);
  await expect(otherPage.getByText('Filter coffee before nine')).toBeVisible(soon);

  await call(request, 'coupon.close', { id: coupon?.id });
  await expect(sale.coupon('Filter coffee before nine')).toContainText('Ended', soon);
});
