import { expect } from './fixtures';
import { test } from './own-floodgate';
import { deleteShifts, expectNoShift, recordShifts } from './page-checks';
import { openWith, salePage, signInShopper } from './sale-page';

/** A crowd is refused when the coupon is sold out. */
test.use({ expectedStatuses: [429] });

test('a sale counts down to its opening, and the button opens by itself', async ({ page, floodgate }) => {
  const title = 'Supper on the roof';
  await floodgate.addSale(title, { opensInMs: 12_000 });
  await page.goto('/');
  const supper = salePage(page).coupon(title);
  const button = supper.getByRole('button').first();
  await expect(button).toHaveText(/^Opens in \d+\ss$/);
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await expect(supper).toContainText('Starting soon');

  await expect(button).toHaveText('Grab');
  await expect(button).not.toHaveAttribute('aria-disabled', 'true');
  await button.click();
  await expect(supper).toContainText('Held, pay within');
  await expect(supper).toContainText('19 of 20 left');
  // A later test expects the sale with the largest saving, and they all have one.
  await floodgate.endSale(title);
});

test('an opening causes no request of the pages that count down to it', async ({ page, floodgate }) => {
  test.setTimeout(90_000);
  // A new round of another coupon also causes a request, so this repeats until one opening causes none.
  let opening = 0;
  await expect(async () => {
    opening += 1;
    const title = `Opening ${opening}`;
    // A busy machine needs more time until the page counts down. It reads the list again 15 s after it has loaded.
    const opensInMs = Math.min(12_000, 4_000 + 2_000 * opening);
    await floodgate.addSale(title, { opensInMs });
    await page.goto('/');
    const button = salePage(page).coupon(title).getByRole('button').first();
    await expect(button).toHaveText(/^Opens in/, { timeout: 2_000 });
    await expect(button).toHaveText(/^Opens in [12]\ss$/, { timeout: opensInMs });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await expect(button).toHaveText('Grab');
    await floodgate.endSale(title);
    expect(requests).toEqual([]);
  }).toPass({ intervals: [0] });
});

test('a sold-out sale shows it, and its next round opens under the same button, without a reload', async ({
  page,
  otherPage,
  floodgate,
}) => {
  const title = 'The last table by the window';
  await floodgate.addSale(title, { opensInMs: 0, stock: 1 });
  await openWith(salePage(page).coupon(title));
  const table = salePage(page).gate;
  await expect(table.getByRole('heading'), 'the coupon with the largest saving is featured').toHaveText(
    title,
  );
  const button = salePage(page).grab;
  const couponIds: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('coupon.seckill')) couponIds.push(String(request.postDataJSON().couponId));
  });

  await salePage(page).openDock();
  await button.click();
  await expect(table).toContainText('Held, pay within');
  await expect(salePage(page).next, 'the shopper who has it may still pay').toBeFocused();
  await expect(table).toContainText('0 of 1 left');
  await expect(table.getByText('Sold out'), 'not for the shopper who has it').toHaveCount(0);
  const elsewhere = salePage(otherPage).coupon(title).getByRole('button').first();
  await otherPage.goto('/');
  await expect(elsewhere).toHaveText('Sold out');
  await expect(elsewhere).toHaveAttribute('aria-disabled', 'true');
  await expect(salePage(page).dock).toContainText(/Next round in \d+\ss/);

  await floodgate.endPause(title);
  await expect(button).toHaveText('Grab');
  await expect(button, 'the button keeps the focus').toBeFocused();
  await expect(table.getByRole('status').filter({ hasText: 'One coupon per shopper.' })).toBeVisible();
  await expect(table).toContainText('1 of 1 left');

  await page.keyboard.press('Enter');
  await expect(table).toContainText('Held, pay within');
  expect(new Set(couponIds).size, 'two rounds are two coupons').toBe(2);
  await expect(table).toContainText('0 of 1 left');
  await floodgate.endSale(title);
  await expect(table.getByText('Ended'), 'the shopper who has it may still pay').toHaveCount(0);
  await expect(salePage(page).next).toHaveText('Pay €5');
  await page.reload();
  await expect(
    salePage(page).gate.getByRole('article', { name: title }),
    'the coupon to pay is featured',
  ).toBeVisible();
});

test('a click without a response on a coupon that has sold out offers no retry', async ({
  page,
  otherPage,
  floodgate,
}) => {
  const title = 'The last loaf';
  await floodgate.addSale(title, { opensInMs: 0, stock: 1 });
  const loaf = salePage(page).coupon(title);
  await openWith(loaf);
  await page.route('**/api/trpc/coupon.seckill*', (route) => route.fulfill({ status: 200, body: '' }));
  await loaf.getByRole('button', { name: /^Grab/ }).click();
  await expect(loaf).toContainText('No response. Check your connection and try again.');

  await otherPage.goto('/');
  await salePage(otherPage).coupon(title).getByRole('button', { name: /^Grab/ }).click();
  await expect(loaf).toContainText('No response. Your wallet shows whether you got one.');
  await floodgate.endSale(title);
});

test('a coupon that a crowd sells out, and its next round, move nothing on any screen', async ({
  page,
  floodgate,
}) => {
  const title = 'A basket of cherries';
  await floodgate.addSale(title, { opensInMs: 0, stock: 1 });
  await signInShopper(page);
  const pages = [page, await page.context().newPage(), await page.context().newPage()];
  for (const [index, viewport] of [
    { width: 1_440, height: 900 },
    { width: 768, height: 1_024 },
    { width: 375, height: 812 },
  ].entries()) {
    const one = pages[index] ?? page;
    await one.setViewportSize(viewport);
    await recordShifts(one);
    const sale = salePage(one);
    await openWith(sale.gate.getByRole('heading', { name: title }));
    await sale.openDock();
    await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '0');
    await deleteShifts(one);
  }
  const { dock } = salePage(page);
  await dock.getByRole('radio', { name: '50', exact: true }).check();
  await dock.getByRole('button', { name: /^Send \d+ shoppers$/ }).click();
  await expect(dock).toContainText(/^.*50 shoppers: /);
  for (const one of pages) {
    await expect(salePage(one).grab).toHaveText('Sold out');
    await expect(salePage(one).gate).toContainText('Next round within 30 s');
  }
  await floodgate.endPause(title);
  for (const one of pages) await expect(salePage(one).grab).toHaveText('Grab');
  for (const one of pages) await expectNoShift(one);
  await floodgate.endSale(title);
});
