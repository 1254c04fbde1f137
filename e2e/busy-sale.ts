import { randomUUID } from 'node:crypto';
import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { expect } from './fixtures';
import { signInOperator } from './ops-page';
import type { test } from './own-floodgate';

const everyone = { policy: 'coupon.seckill', level: 'global' };

/** The fixtures of a test that opens a busy sale. */
export type Own = Pick<Parameters<Parameters<typeof test>[2]>[0], 'playwright' | 'floodgate'>;

/** Sends calls with a session of its own. Dispose of it after use. */
export function newRequest({ playwright, floodgate: { url } }: Own): Promise<APIRequestContext> {
  return playwright.request.newContext({ baseURL: url, extraHTTPHeaders: { origin: url } });
}

/** Sends calls as a new shopper. Dispose of it after use. */
export async function newShopper(own: Own): Promise<APIRequestContext> {
  const request = await newRequest(own);
  expect((await request.post('/api/trpc/auth.signInDemo', { data: {} })).status()).toBe(200);
  return request;
}

/** Calls a procedure as the demo's operator. A store that was just emptied may refuse the first calls. */
async function callAsOperator(own: Own, procedure: string, data: unknown): Promise<void> {
  const request = await newRequest(own);
  await expect(async () => {
    await signInOperator(request);
    expect((await request.post(`/api/trpc/${procedure}`, { data })).status()).toBe(200);
  }).toPass();
  await request.dispose();
}

/** Lets one call in, or `limit` calls, in any window of this length. */
export function setWindow(own: Own, windowMs: number, limit = 1): Promise<void> {
  return callAsOperator(own, 'limit.update', { ...everyone, limit, windowMs });
}

/**
 * Opens a sale, and makes its window one place in three minutes, which a shopper has just taken. Returns the title of its
 * coupon, which is new.
 */
export async function openBusySale(own: Own, { stock = 20 }: { stock?: number } = {}): Promise<string> {
  const title = `Queued tea ${randomUUID().slice(0, 4)}`;
  await own.floodgate.addSale(title, { opensInMs: -1_000, stock });
  await setWindow(own, 500);
  const request = await newRequest(own);
  await expect(async () => {
    await request.post('/api/trpc/auth.signInDemo', { data: { name: randomUUID() } });
    const couponId = await findCouponId(request, title);
    expect(await callSale(request, { couponId, queue: false })).toMatchObject({ outcome: 'accepted' });
  }).toPass();
  await request.dispose();
  await setWindow(own, 180_000);
  return title;
}

/** Ends the sale, and resets the window. */
export async function endBusySale(own: Own, title: string): Promise<void> {
  await own.floodgate.endSale(title);
  await callAsOperator(own, 'limit.reset', everyone);
}

/** Closes the coupon of a sale as an operator. */
export async function closeSale(own: Own, title: string): Promise<void> {
  const request = await newRequest(own);
  const id = await findCouponId(request, title);
  await request.dispose();
  await callAsOperator(own, 'coupon.close', { id });
}

/** Returns the id of the coupon with a title; '' if there is none. */
export async function findCouponId(request: APIRequestContext, title: string): Promise<string> {
  const { result } = await (await request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; title: string }[] = result.data.coupons;
  return coupons.find((coupon) => coupon.title === title)?.id ?? '';
}

/** Calls the sale like a script. Returns the data of the answer, also of a refusal. */
export async function callSale(
  request: APIRequestContext,
  { couponId, queue }: { couponId: string; queue: boolean },
): Promise<unknown> {
  const data = { couponId, requestId: randomUUID(), queue };
  const answer = await (await request.post('/api/trpc/coupon.seckill', { data })).json();
  return answer.result?.data ?? answer.error.data;
}

/** The words of the sale page in a language. */
const words = {
  en: {
    ...{ grab: /^Grab/, join: /^Join the queue/, joined: 'You’re in the queue' },
    full: 'Join the queue, and we’ll get it for you',
  },
  zh: { grab: /^立即抢/, join: /^加入排队/, joined: '已加入排队', full: '加入排队，轮到您时' },
} as const;

/** Opens the sale page, presses Grab in a full window, and joins. Returns the coupon. */
export async function joinQueue(
  page: Page,
  title: string,
  language: keyof typeof words = 'en',
): Promise<Locator> {
  const { grab, join, joined, full } = words[language];
  await page.goto(language === 'zh' ? '/?lang=zh' : '/');
  const coupon = page.getByRole('article', { name: title });
  const enter = coupon.getByRole('button', { name: join });
  await expect(async () => {
    // A press before the page is interactive does nothing. A press that is answered late has replaced Grab, or has joined.
    if (await coupon.getByText(joined).isVisible()) return;
    if (!(await enter.isVisible()))
      await coupon.getByRole('button', { name: grab }).click({ timeout: 2_000 });
    await expect(coupon).toContainText(full, { timeout: 2_000 });
    await enter.click({ timeout: 2_000 });
  }).toPass();
  await expect(coupon).toContainText(joined);
  return coupon;
}
