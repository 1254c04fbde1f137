import { encode } from 'uqr';
import { expect, test } from './fixtures';
import { press, salePage } from './sale-page';

test('an order shows its code once it is paid, as text and as a QR code that says the same', async ({
  page,
}) => {
  const sale = salePage(page);
  await sale.open();
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.gate).toContainText('Yours, and confirmed. Pay for it in your wallet');
  await expect(sale.gate.getByRole('code')).toHaveCount(0);

  await page.goto('/wallet');
  const order = page.getByRole('listitem').filter({ has: page.getByRole('heading') });
  await expect(order).toContainText('Its code is shown once it is paid.');
  await expect(order.getByRole('code')).toHaveCount(0);
  await expect(order.getByRole('img')).toHaveCount(0);

  await order.getByRole('button', { name: /^Pay/ }).click();
  await expect(order.getByRole('status').first()).toHaveText('Paid');
  const code = (await order.getByRole('code').textContent()) ?? '';
  expect(code).toMatch(/\S{6,}/);
  const qr = order.getByRole('img', { name: `QR code of ${code}` });
  await expect(qr).toBeVisible();
  expect(await qr.evaluate(modulesOf)).toEqual(encode(code, { ecc: 'M', border: 2 }).data);
});

test('what is free shows its code as soon as it is confirmed', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  const popcorn = sale.coupon('Large popcorn with any ticket');
  await press(popcorn.getByRole('button'), 'coupon.claim');
  const code = (await popcorn.getByRole('code').textContent()) ?? '';
  expect(code).toMatch(/\S{6,}/);

  await page.goto('/wallet');
  await expect(page.getByRole('img', { name: `QR code of ${code}` })).toBeVisible();
});

/** Runs in the page: which modules are dark, by what is drawn in the middle of each. */
function modulesOf(svg: Element): boolean[][] {
  const size = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const drawn = new Path2D(svg.querySelector('path')?.getAttribute('d') ?? '');
  const canvas = document.createElement('canvas').getContext('2d');
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => canvas?.isPointInPath(drawn, x + 0.5, y + 0.5) ?? false),
  );
}
