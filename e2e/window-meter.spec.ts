import { expect, test } from './fixtures';
import { findLiveCoupon } from './live-coupon';
import { callSeckill, press, salePage, signInShopper } from './sale-page';

test.describe('a refusal', () => {
  test.use({ expectedStatuses: [429] });

  test('disables all buttons of its policy, names its meter and draws its hits', async ({ page }) => {
    await signInShopper(page);
    const sale = salePage(page);
    await sale.open();
    await callSeckill(page, 'closed', 5);
    await press(sale.grab, 'coupon.seckill');

    const closed = page.getByRole('button', { name: /^Retry in \d+\ss/ });
    await expect(closed).not.toHaveCount(1);
    for (const button of await closed.all()) await expect(button).toHaveAttribute('aria-disabled', 'true');
    await expect(
      page.getByText('Tries for a coupon you have, or one not on sale, don’t count here'),
      'the coupon was not on sale',
    ).toBeVisible();
    await expect(sale.grab).toHaveAccessibleDescription(/^Your pace ?5 \/ 5 per 10\ss$/);

    await sale.gate.getByText('Why?').click();
    await expect(sale.gate).toContainText('You have 5 tries in any 10 s, and all of them are used up.');
    await expect(sale.gate.getByText('Room again')).toBeVisible();
  });
});

test('one animation moves the hits of a window, and none with reduced motion', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const sale = salePage(page);
  const moving = () =>
    sale
      .own('Grabbing')
      .evaluate((meter) => meter.getAnimations({ subtree: true }).map(({ playState }) => playState));
  await sale.open();
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '1');
  await sale.own('Grabbing').scrollIntoViewIfNeeded();
  await expect.poll(moving).toEqual(['running']);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await expect.poll(moving).toEqual([]);

  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '0', { timeout: 15_000 });
  await expect(sale.own('Grabbing').locator('path').first(), 'a hit that has left is not drawn').toBeHidden();
});

test('with reduced motion, no hit is drawn beyond the present', async ({ page }) => {
  const sale = salePage(page);
  await sale.openEmpty();
  const couponId = await findLiveCoupon(page.request, 'seckill');
  const crowd = page.request.post('/api/trpc/demo.crowd', {
    data: { couponId, shoppers: 50, overMs: 3_000 },
  });
  await expect(sale.everyone).not.toHaveAttribute('aria-valuenow', '0');
  const drawing = sale.everyone.locator('svg').first();
  expect(await drawing.evaluate(findNewestPosition, 1_500)).toBeLessThan(0.51);
  await crowd;
});

/** Runs in the page: returns the last position of a hit in the frames of a time in ms. The present is at 0.5. */
async function findNewestPosition(svg: SVGElement, durationMs: number): Promise<number> {
  const width = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const end = performance.now() + durationMs;
  let newest = 0;
  while (performance.now() < end) {
    const path = svg.querySelector('path')?.getAttribute('d') ?? '';
    const positions = [...path.matchAll(/M([\d.]+)/g)].map(([, x]) => Number(x) / width);
    newest = Math.max(newest, ...positions);
    await new Promise(requestAnimationFrame);
  }
  return newest;
}

test('two tabs share one connection, and the second continues when the first closes', async ({
  page,
  watchConsole,
}) => {
  const streams: string[] = [];
  page.context().on('request', (request) => {
    if (request.url().endsWith('/api/live')) streams.push(request.url());
  });
  const sale = salePage(page);
  await sale.open();
  const second = await page.context().newPage();
  watchConsole(second);
  const there = salePage(second);
  await there.open();
  expect(streams).toHaveLength(1);

  await page.close();
  await press(there.grab, 'coupon.seckill');
  await expect(there.everyone).toHaveAttribute('aria-valuenow', '1');
  expect(streams).toHaveLength(2);
});

test('an embedded meter is shown without the page around it', async ({ page }) => {
  await page.goto('/?embed=coupon.seckill');
  await expect(page.getByRole('meter', { name: 'Everyone’s pace' })).toBeVisible();
  await expect(page.getByRole('banner')).toBeHidden();
  await page.goto('/?embed=merchant');
  await expect(page.getByRole('meter', { name: 'Your network' })).toBeVisible();
  await page.goto('/?embed=merchant:user');
  await expect(page.getByText('“merchant:user” has no meter to show.')).toBeVisible();
  await page.goto('/?embed=coupon.nothing&lang=zh');
  await expect(page.getByText('“coupon.nothing”没有可显示的计数。')).toBeVisible();
});
