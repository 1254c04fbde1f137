import type { Locator, Page } from '@playwright/test';
import { expect, phone, test } from './fixtures';
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

  await expect(sale.grab).toHaveText('Grab');
  await expect(sale.gate).toContainText('You can try again now.');
  await expect(sale.grab).toBeFocused();
  expect(calls, 'no call is repeated automatically').toBe(6);

  await press(sale.grab, 'coupon.seckill');
  await expect(sale.gate).toContainText('Held, pay within');
});

test('six quick presses get the coupon and stay on the page: the link to pay ignores them', async ({
  page,
}) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.openEmpty();
  await expect(sale.grab).toHaveText('Grab');
  // The same place on the screen, whatever is there at that instant.
  await sale.gate.evaluate(async (gate) => {
    const isGone = new Promise<void>((resolve) => {
      const observer = new MutationObserver(() => {
        const link = gate.querySelector<HTMLElement>('a[href^="/wallet"]');
        if (!link) return;
        observer.disconnect();
        for (let press = 0; press < 5; press += 1) link.click();
        resolve();
      });
      observer.observe(gate, { childList: true, subtree: true });
    });
    gate.querySelector('button')?.click();
    await isGone;
  });
  await expect(sale.gate).toContainText('Held, pay within');
  await expect(page).toHaveURL('/');
  await sale.openOrder();
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
  await expect(sale.grab).toHaveText('Grab');
});

test('a refusal, its explanation and the full meter are in view, and stay when the countdown ends', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1_440, height: 900 });
  await signInShopper(page);
  const sale = salePage(page);
  await sale.openEmpty();
  await callSeckill(page, 'live', 5);
  await press(sale.grab, 'coupon.seckill');
  const why = sale.gate.getByText('Why?');
  await expectUncovered(why);
  await expectUncovered(sale.own('Grabbing'));
  await why.click();
  const drawing = sale.gate.getByText('Room again');
  await expectUncovered(drawing);
  await expectUncovered(why);
  const past = sale.gate.getByText('You had 5 tries in any 10 s, and all of them were used up.');
  await expect(past.and(page.locator(':not([aria-hidden])'))).toHaveCount(0);
  const before = await sale.gate.boundingBox();

  await expect(sale.gate).toContainText('You can try again now.');
  await expect(drawing).toBeVisible();
  await expect(past, 'the explanation is of the past').toBeVisible();
  expect(await sale.gate.boundingBox(), 'nothing moves').toEqual(before);

  await why.click();
  await expect(drawing, 'a second press closes it').toBeHidden();
  await expect(why).toBeVisible();
});

test('a refusal closes all buttons of its policy, names its meter, and stretches its own card only', async ({
  page,
}) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.open();
  const card = sale.coupon(/^Bean of the week/);
  const neighbour = sale.coupon(/^Two seats/);
  const before = await heightOf(neighbour);
  expect(await heightOf(card), 'cards next to each other have one height').toBe(before);
  await callSeckill(page, 'closed', 5);
  await press(card.getByRole('button').first(), 'coupon.seckill');

  const closed = page.getByRole('button', { name: /^Retry in \d+\ss/ });
  await expect(closed).not.toHaveCount(1);
  await expect(sale.grab).toHaveAccessibleDescription(/^Your tries ?5 \/ 5 per 10\ss$/);
  for (const button of await closed.all()) await expect(button).toHaveAttribute('aria-disabled', 'true');
  await expect(
    page.getByText('Tries for a coupon you have, or one not on sale, don’t count here'),
    'the coupon was not on sale',
  ).toBeVisible();
  await card.getByText('Why?').click();
  await expect(card).toContainText('You have 5 tries in any 10 s, and all of them are used up.');
  await expect(card.getByText('Room again')).toBeVisible();
  expect(await heightOf(neighbour)).toBe(before);
  await expectUncut(card);
});

test.describe('on a phone', () => {
  test.use({ ...phone, viewport: { width: 375, height: 812 } });

  test('a refusal and its explanation are in view, and a card grows with them', async ({ page }) => {
    await signInShopper(page);
    const sale = salePage(page);
    await sale.openEmpty();
    const card = sale.coupon(/^Bean of the week/);
    const before = await heightOf(card);
    await callSeckill(page, 'closed', 5);
    await press(sale.grab, 'coupon.seckill');
    const why = sale.gate.getByText('Why?');
    await expectUncovered(why);
    await why.click();
    await expectUncovered(sale.gate.getByText('Room again'));
    await expectUncovered(why);

    await expect(sale.grab).toHaveText('Grab');
    const button = card.getByRole('button').first();
    await button.scrollIntoViewIfNeeded();
    await callSeckill(page, 'closed', 5);
    await press(button, 'coupon.seckill');
    await expectUncovered(card.getByText('Why?'));
    await card.getByText('Why?').click();
    await expect(card.getByText('Room again')).toBeVisible();
    expect(await heightOf(card)).toBeGreaterThan(before + 100);
    await expectUncut(card);
  });
});

const heightOf = async (part: Locator): Promise<number> => (await part.boundingBox())?.height ?? 0;

/** Expects that the note of a card ends inside the card. */
async function expectUncut(card: Locator): Promise<void> {
  const note = await card.getByRole('status').boundingBox();
  const box = await card.boundingBox();
  expect((note?.y ?? 0) + (note?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + (box?.height ?? 0));
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
