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
  await page.reload();
  await expect(sale.own('Grabbing')).toHaveAttribute('aria-valuenow', '5');
  await press(sale.grab, 'coupon.seckill');

  await expect(sale.gate).toContainText('Too fast: 5 tries per 10 s');
  await expect(sale.gate).toContainText('Try again when the countdown ends.');
  await expect(sale.gate, 'not the text of the other limit').not.toContainText('Many shoppers');
  await expect(sale.grab).toHaveText(/^Retry in \d+\ss$/);
  await expect(sale.grab).toHaveAttribute('aria-disabled', 'true');
  await expect(sale.grab).toBeFocused();
  await expect(sale.everyone, 'only the call that could buy is charged').toHaveAttribute(
    'aria-valuenow',
    '1',
  );

  await expect(sale.grab).toHaveText('Grab', { timeout: 12_000 });
  await expect(sale.gate).toContainText('You can try again now.');
  await expect(sale.grab).toBeFocused();
  expect(calls, 'no call is repeated automatically').toBe(6);

  await press(sale.grab, 'coupon.seckill');
  await expect(sale.gate).toContainText('Held, pay within');
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

test('an open explanation stays open when the countdown ends, and nothing moves', async ({ page }) => {
  await signInShopper(page);
  const sale = salePage(page);
  await sale.openEmpty();
  await callSeckill(page, 'live', 5);
  await press(sale.grab, 'coupon.seckill');
  await sale.gate.getByText('Why?').click();
  const drawing = sale.gate.getByText('Room for one more');
  await expect(drawing).toBeVisible();
  const before = await sale.gate.boundingBox();

  await expect(sale.gate).toContainText('You can try again now.', { timeout: 12_000 });
  await expect(drawing).toBeVisible();
  expect(await sale.gate.boundingBox()).toEqual(before);

  await sale.gate.getByText('Why?').click();
  await expect(drawing, 'a second press closes it').toBeHidden();
  await expect(sale.gate.getByText('Why?'), 'the focus stays').toBeVisible();
});

test('in Chinese, too, a shopper at the own limit reads of that limit only', async ({ page }) => {
  await signInShopper(page);
  await page.goto('/?lang=zh');
  const grab = page.getByRole('region', { name: '主推优惠券' }).getByRole('button').first();
  await callSeckill(page, 'live', 5);
  await press(grab, 'coupon.seckill');
  const main = page.getByRole('main');
  await expect(main).toContainText('太快了：每 10 秒限 5 次');
  await expect(main).not.toContainText('人太多');
});
