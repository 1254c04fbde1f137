import { type APIRequestContext, expect, type Locator, type Page, request } from '@playwright/test';
import { signInOperator } from './ops-page';

/** Locates parts of the sale page by roles and labels. */
export function salePage(page: Page) {
  const gate = page.getByRole('region', { name: 'Featured coupon' });
  const meter = (group: string, whose: string): Locator =>
    page.getByRole('region', { name: group }).getByRole('meter', { name: whose });
  const everyone = meter('Grabbing', 'Everyone’s tries');
  const opener = page.getByRole('button', { name: 'Send a crowd' });
  const dock = page.getByRole('dialog', { name: 'Send a crowd' });

  return {
    gate,
    grab: gate.getByRole('button').first(),
    everyone,
    own: (group: 'Grabbing' | 'Claiming') => meter(group, 'Your tries'),
    /** The link that replaces the button of a bought coupon. */
    next: gate.getByRole('link', { name: /^(Pay|Held for you|In your wallet)/ }),
    opener,
    dock,
    coupon: (title: string | RegExp) => page.getByRole('article', { name: title }),

    /** Opens the sale and waits until everyone's window has fewer than 50 hits, because an earlier test may have filled it. */
    async open(): Promise<void> {
      await page.goto('/');
      await expect(everyone).toHaveAttribute('aria-valuenow', /^[1-4]?\d$/);
    },

    /** Follows the link of a bought coupon, which ignores presses for a moment after it has replaced the button. */
    async openOrder(): Promise<void> {
      await expect(async () => {
        // A slow navigation may end after the last attempt, and then the link is gone.
        if (!page.url().includes('/wallet')) await this.next.click({ timeout: 1_000 });
        await expect(page).toHaveURL(/\/wallet/, { timeout: 10_000 });
      }).toPass();
    },

    /** Opens the demo's dock. */
    async openDock(): Promise<void> {
      await opener.click();
      await expect(dock).toBeVisible();
    },

    /** Opens the sale with an empty window of everyone, for tests that count its hits. */
    async openEmpty(): Promise<void> {
      await page.goto('/');
      await clearEveryone(new URL(page.url()).origin);
      await expect(everyone).toHaveAttribute('aria-valuenow', '0');
    },
  };
}

/** Clears everyone's window as an operator, because an earlier test may have filled it. */
async function clearEveryone(baseURL: string): Promise<void> {
  const operator = await request.newContext({ baseURL });
  expect((await signInOperator(operator)).status()).toBe(200);
  const level = { policy: 'coupon.seckill', level: 'global' };
  expect((await operator.post('/api/trpc/limit.clear', { data: level })).status()).toBe(200);
  await operator.dispose();
}

/** Opens the sale until it lists a new coupon: nodes read a created one within a moment. */
export async function openWith(coupon: Locator): Promise<void> {
  await expect(async () => {
    await coupon.page().goto('/');
    await expect(coupon).toBeVisible({ timeout: 500 });
  }).toPass();
}

/** A flash coupon that is not featured: `live` can be bought, `closed` cannot. */
type OtherCoupon = 'live' | 'closed';

/**
 * Calls the procedure of the sale from the page as a signed-in shopper, for another coupon than the featured one. Each
 * call charges the shopper's own window.
 */
export async function callSeckill(page: Page, other: OtherCoupon, times: number): Promise<void> {
  const { result } = await (await page.request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; kind: string; state: string; stock?: { total: number } }[] =
    result.data.coupons;
  const [coupon] = coupons
    .filter(({ kind, state }) => kind === 'seckill' && (state === 'live') === (other === 'live'))
    .toSorted((a, b) => (b.stock?.total ?? 0) - (a.stock?.total ?? 0));
  expect(coupon, other).toBeDefined();
  await page.evaluate(callRepeatedly, { couponId: coupon?.id, times });
}

/** Runs in the page. */
async function callRepeatedly({ couponId, times }: { couponId: string | undefined; times: number }) {
  for (let call = 0; call < times; call += 1) {
    await fetch('/api/trpc/coupon.seckill', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ couponId }),
    });
  }
}

/** Signs the browser in as a new demo shopper. Call it before the page opens. */
export async function signInShopper(page: Page): Promise<void> {
  expect((await page.request.post('/api/trpc/auth.signInDemo', { data: {} })).status()).toBe(200);
}

/** Clicks a button when it is enabled, and waits for the answer of the procedure. */
export async function press(button: Locator, procedure: string): Promise<void> {
  const answer = button
    .page()
    .waitForResponse((response) => response.url().includes(`/api/trpc/${procedure}`));
  await button.click();
  await answer;
}

/** Returns the id of a coupon of this kind that is on sale, or undefined. */
export async function findLiveCoupon(
  request: APIRequestContext,
  wanted: 'seckill' | 'claim',
): Promise<string | undefined> {
  const { result } = await (await request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; kind: string; state: string }[] = result.data.coupons;
  return coupons.find(({ kind, state }) => kind === wanted && state === 'live')?.id;
}
