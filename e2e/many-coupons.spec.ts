import type { APIRequestContext } from '@playwright/test';
import { callSale, newShopper, setWindow } from './busy-sale';
import { expect, phone } from './fixtures';
import { test } from './own-floodgate';
import { overflowOf } from './page-checks';
import { salePage, signInShopper } from './sale-page';

/** A page of the list has 24 coupons. */
const PAGE = 24;

test.use({ ...phone, liveCoupons: 60, expectedStatuses: [429] });

/** The coupons of the loaded shop, in the order of the list. */
interface Listed {
  id: string;
  kind: string;
  title: string;
}

/** Reads the whole list as a script does. */
async function readList(request: APIRequestContext): Promise<Listed[]> {
  const coupons: Listed[] = [];
  let cursor: string | undefined;
  do {
    const input = encodeURIComponent(JSON.stringify({ cursor }));
    const { result } = await (await request.get(`/api/trpc/coupon.list?input=${input}`)).json();
    coupons.push(...result.data.coupons);
    cursor = result.data.nextCursor;
  } while (cursor !== undefined);
  return coupons;
}

/** Returns two flash coupons that are not on the first page. */
async function findFarCoupons(request: APIRequestContext): Promise<[Listed, Listed]> {
  const [first, second] = (await readList(request))
    .slice(PAGE)
    .filter(({ kind, title }) => kind === 'seckill' && title.startsWith('Dinner number'));
  if (!first || !second) throw new Error('The shop has one page.');
  return [first, second];
}

test('a phone loads more coupons where the list ends, each once, and the page stays where the shopper reads', async ({
  page,
}) => {
  const cards = page.getByRole('main').getByRole('article');
  const more = page.getByRole('button', { name: 'Show more coupons' });
  await page.goto('/');
  await expect(cards).toHaveCount(PAGE);
  const last = page.getByRole('region', { name: 'More flash coupons' }).getByRole('article').last();
  const title = (await last.getByRole('heading').textContent()) ?? '';
  const before = page.getByRole('article', { name: title, exact: true });
  await more.scrollIntoViewIfNeeded();
  const y = (await before.boundingBox())?.y ?? 0;
  await more.tap();
  await expect(cards).toHaveCount(2 * PAGE);
  expect((await before.boundingBox())?.y, 'the last card stays').toBeCloseTo(y, 0);
  const next = before.locator('xpath=../following-sibling::*').first().getByRole('article');
  await expect(next, 'the next one is below it').toBeInViewport();
  expect(await overflowOf(page)).toBe(0);

  const listed = new Set((await readList(page.request)).map(({ title }) => title));
  while (await more.isVisible()) {
    const shown = await cards.count();
    await more.tap();
    await expect.poll(() => cards.count()).toBeGreaterThan(shown);
  }
  const titles = await cards.getByRole('heading').allTextContents();
  expect(titles.filter((title) => title.startsWith('Dinner number'))).toHaveLength(60);
  expect(new Set(titles).size, 'each once').toBe(titles.length);
  expect(new Set(titles)).toEqual(listed);
});

test('a coupon of a later page that a shopper holds or waits for is on the sale page', async ({
  page,
  playwright,
  floodgate,
}) => {
  const own = { playwright, floodgate };
  await signInShopper(page);
  const [held, awaited] = await findFarCoupons(page.request);
  const sale = salePage(page);
  await page.goto('/');
  await expect(sale.coupon(awaited.title), 'not on the first page').toHaveCount(0);

  await callSale(page.request, { couponId: held.id, queue: false });
  await page.reload();
  await expect(sale.gate.getByRole('heading'), 'to be paid, so it comes first').toHaveText(held.title);
  await expect(sale.next).toHaveText('Pay €9.90');

  // One place in three minutes, which another shopper has just taken.
  await setWindow(own, 500);
  const other = await newShopper(own);
  await expect(async () => {
    const outcome = await callSale(other, { couponId: held.id, queue: false });
    expect(outcome).toMatchObject({ outcome: 'accepted' });
  }).toPass();
  await setWindow(own, 180_000);
  const ticket = await callSale(page.request, { couponId: awaited.id, queue: true });
  expect(ticket).toMatchObject({ outcome: 'queued' });
  await page.reload();
  const waiting = sale.coupon(awaited.title);
  await expect(waiting).toContainText('You’re in the queue');
  await expect(waiting.getByRole('button', { name: /^Leave the queue/ })).toBeVisible();
  await other.dispose();
});
