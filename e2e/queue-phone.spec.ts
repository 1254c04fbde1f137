import type { Page } from '@playwright/test';
import { callSale, endBusySale, findCouponId, joinQueue, newShopper, openBusySale } from './busy-sale';
import { expect, phone } from './fixtures';
import { test } from './own-floodgate';
import { expectNoViolations, overflowOf } from './page-checks';
import { signInShopper } from './sale-page';

test.use({ ...phone, viewport: { width: 375, height: 667 }, expectedStatuses: [429] });

let title = '';
test.afterEach(({ playwright, floodgate }) => endBusySale({ playwright, floodgate }, title));

test('on a Chinese phone a shopper waits, gets announcements of the own ticket only, and leaves with a tap', async ({
  page,
  playwright,
  floodgate,
}) => {
  title = await openBusySale({ playwright, floodgate });
  const other = await newShopper({ playwright, floodgate });
  const couponId = await findCouponId(other, title);
  expect(await callSale(other, { couponId, queue: true })).toMatchObject({ outcome: 'queued' });
  await signInShopper(page);
  await page.addInitScript(recordAnnouncements);
  const coupon = await joinQueue(page, title, 'zh');
  const leave = coupon.getByRole('button', { name: /^退出排队/ });
  await expect(coupon).toContainText('您排在第 2 位，前面有 1 人在等这张券');
  await expect(coupon).toContainText('还剩 19 张');
  await expect(coupon).toContainText(/预计 .+后轮到您/);
  expect((await leave.boundingBox())?.height, 'as tall as a fingertip').toBeGreaterThanOrEqual(44);
  await expectAccessible(page);

  // The other shopper leaves: the own number changes silently.
  const { tickets } = (await (await other.get('/api/trpc/queue.mine')).json()).result.data;
  const left = await other.post('/api/trpc/queue.leave', { data: { ticketId: tickets[0].ticketId } });
  expect(left.status()).toBe(200);
  await expect(coupon).toContainText('下一位就是您。');
  const announced = await announcements(page);
  expect(announced.filter((text) => text.includes('已加入排队'))).toHaveLength(1);
  expect(announced.filter((text) => /第 1 位|所有人/.test(text))).toEqual([]);

  await page.goto('/wallet');
  await expect(page.getByRole('region', { name: '排队中' })).toContainText('下一位就是您。');
  await expectAccessible(page);

  await page.goto('/');
  await leave.tap();
  await expect(coupon).toContainText('您已退出排队。');
  expect((await announcements(page)).filter((text) => text.includes('您已退出排队'))).toHaveLength(1);
  await other.dispose();
});

/** Checks the page with axe, and that it does not scroll sideways. */
async function expectAccessible(page: Page): Promise<void> {
  await expectNoViolations(page);
  expect(await overflowOf(page), 'it does not scroll sideways').toBe(0);
}

const announcements = (page: Page): Promise<string[]> => page.evaluate(() => Reflect.get(window, 'said'));

/**
 * Runs in each page before its scripts. Records the texts that a screen reader announces: what was added to a polite region,
 * except in a timer, which is silent.
 */
function recordAnnouncements(): void {
  const said: string[] = [];
  Reflect.set(window, 'said', said);
  const isSilent = (element: Element | null) => element?.closest('[role="timer"]') !== null;
  new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes) {
      const element = target instanceof Element ? target : target.parentElement;
      if (!element?.closest('[role="status"]') || isSilent(element)) continue;
      for (const node of type === 'characterData' ? [target] : addedNodes) {
        const silent = node instanceof Element && isSilent(node);
        const text = node.textContent?.trim() ?? '';
        if (!silent && text !== '') said.push(text);
      }
    }
  }).observe(document, { childList: true, characterData: true, subtree: true });
}
