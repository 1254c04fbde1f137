import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures';
import { callSeckill, press, salePage, signInShopper } from './sale-page';

test.use({ expectedStatuses: [429] });

test('the sixth purchase in ten seconds is refused, and the button counts down and opens by itself', async ({
  page,
}) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.openEmpty();
  let calls = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/trpc/coupon.seckill')) calls += 1;
  });

  await callSeckill(page, 'live', 5);
  await press(sale.grab, 'coupon.seckill');

  // Read at one instant, because a busy machine leaves little of the ten seconds.
  const refused = await readRefusal(page);
  expect(refused.text).toContain('Too fast: 5 tries per 10 s');
  expect(refused.text).toContain('Try again when the countdown ends.');
  expect(refused.text, 'not the text of the other limit').not.toContain('Many shoppers');
  expect(refused.button).toMatch(/^Retry in \d+\ss$/);
  expect(refused.isClosed).toBe(true);
  expect(refused.hasFocus).toBe(true);
  expect(refused.everyone, 'only the call that could buy is charged').toBe('1');

  await expect(sale.grab).toHaveText('Grab', { timeout: 12_000 });
  await expect(sale.gate).toContainText('You can try again now.');
  await expect(sale.grab).toBeFocused();
  expect(calls, 'no call is repeated automatically').toBe(6);

  await press(sale.grab, 'coupon.seckill');
  await expect(sale.gate).toContainText('Held, pay within');
});

test('after a reload with a full window, the button counts down without a press and opens by itself', async ({
  page,
}) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.openEmpty();
  // Of a coupon that cannot be bought, because one to pay would be featured after the reload.
  await callSeckill(page, 'closed', 5);
  await page.reload();
  await expect(sale.grab).toHaveText(/^Retry in \d+\ss$/);
  await expect(sale.grab).toHaveAttribute('aria-disabled', 'true');
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '5');
  await expect(sale.gate, 'nothing was refused').not.toContainText('Too fast');
  await expect(sale.grab).toHaveText('Grab', { timeout: 12_000 });
});

test('one more press after a success does not replace it by a refusal', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  let calls = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/trpc/coupon.seckill')) calls += 1;
  });
  await sale.grab.focus();
  await page.keyboard.press('Enter');
  await expect(sale.next).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Wallet', level: 1 })).toBeVisible();
  expect(calls).toBe(1);
});

for (const [name, viewport] of [
  ['a laptop', { width: 1440, height: 900 }],
  ['a phone', { width: 375, height: 812 }],
] as const) {
  test.describe(`on ${name}`, () => {
    test.use({ viewport });

    test('a refusal, its explanation and the full meter are in view without scrolling', async ({ page }) => {
      await signInShopper(page);
      const sale = salePage(page);
      await sale.openEmpty();
      await callSeckill(page, 'live', 5);
      await press(sale.grab, 'coupon.seckill');
      const why = sale.gate.getByText('Why?');
      await expectUncovered(why);
      // On a phone, in the bar with the button.
      if (viewport.width > 375) await expectUncovered(sale.own('Grabbing'));
      await why.click();
      await expectUncovered(sale.gate.getByText('Room again'));
      await expectUncovered(why);
    });
  });
}

/** Waits until a part is in view, and nothing such as the bar of a phone covers it. */
async function expectUncovered(part: Locator): Promise<void> {
  await expect(part).toBeInViewport({ ratio: 1 });
  await expect
    .poll(() =>
      part.evaluate((node) => {
        const { left, right, top, bottom } = node.getBoundingClientRect();
        const atCentre = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return node.contains(atCentre);
      }),
    )
    .toBe(true);
}

test('an open explanation stays open when the countdown ends, and nothing moves', async ({ page }) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.openEmpty();
  await callSeckill(page, 'live', 5);
  await press(sale.grab, 'coupon.seckill');
  await sale.gate.getByText('Why?').click();
  const drawing = sale.gate.getByText('Room again');
  await expect(drawing).toBeVisible();
  const past = sale.gate.getByText('You had 5 tries in any 10 s, and all of them were used up.');
  await expect(past.and(page.locator(':not([aria-hidden])'))).toHaveCount(0);
  const before = await sale.gate.boundingBox();

  await expect(sale.gate).toContainText('You can try again now.', { timeout: 12_000 });
  await expect(drawing).toBeVisible();
  await expect(past, 'the explanation is of the past').toBeVisible();
  expect(await sale.gate.boundingBox()).toEqual(before);

  await sale.gate.getByText('Why?').click();
  await expect(drawing, 'a second press closes it').toBeHidden();
  await expect(sale.gate.getByText('Why?'), 'the focus stays').toBeVisible();
});

test('in Chinese, too, a shopper at the own limit reads of that limit only', async ({ page }) => {
  await signInShopper(page);
  await page.goto('/?lang=zh');
  const grab = page.getByRole('region', { name: '主推优惠券' }).getByRole('button').first();
  // The page reads its window before the calls, so that its button stays open.
  const own = page.getByRole('region', { name: '抢购' }).getByRole('meter', { name: '您的次数' });
  await expect(own).toHaveAttribute('aria-valuenow', '0');
  await callSeckill(page, 'live', 5);
  await press(grab, 'coupon.seckill');
  const main = page.getByRole('main');
  await expect(main).toContainText('太快了：每 10 秒限 5 次');
  await expect(main).not.toContainText('人太多');
});

/** Waits until the page shows a refusal. Returns what it shows at that instant. */
async function readRefusal(page: Page) {
  const { gate, grab, everyone } = salePage(page);
  const elements = { button: await grab.elementHandle(), meter: await everyone.elementHandle() };
  return gate.evaluate((shown, { button, meter }) => {
    const read = () => ({
      // The times contain no-break spaces.
      text: (shown.textContent ?? '').replaceAll(/\s/g, ' '),
      button: button?.textContent ?? '',
      isClosed: button?.getAttribute('aria-disabled') === 'true',
      hasFocus: document.activeElement === button,
      everyone: meter?.getAttribute('aria-valuenow'),
    });
    return new Promise<ReturnType<typeof read>>((resolve) => {
      function readWhenRefused(): void {
        const now = read();
        if (now.text.includes('Too fast') && now.button.startsWith('Retry')) resolve(now);
        else requestAnimationFrame(readWhenRefused);
      }
      readWhenRefused();
    });
  }, elements);
}

test('an open explanation stretches its own card only', async ({ page }) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.open();
  await callSeckill(page, 'closed', 5);
  const card = sale.coupon(/^Bean of the week/);
  const neighbour = sale.coupon(/^Two seats/);
  const heightOf = async (part: typeof card) => (await part.boundingBox())?.height ?? 0;
  const before = await heightOf(neighbour);
  expect(await heightOf(card), 'cards next to each other have one height').toBe(before);
  await press(card.getByRole('button').first(), 'coupon.seckill');
  await card.getByText('Why?').click();
  await expect(card.getByText('Room again')).toBeVisible();
  expect(await heightOf(neighbour)).toBe(before);
  const note = await card.getByRole('status').boundingBox();
  const box = await card.boundingBox();
  expect((note?.y ?? 0) + (note?.height ?? 0), 'nothing is cut').toBeLessThanOrEqual(
    (box?.y ?? 0) + (box?.height ?? 0),
  );
});
