import { encode } from 'uqr';
import { expect, test } from './fixtures';
import { press, salePage } from './sale-page';

test('a paid order shows its code as text and as a QR code with the same content', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await press(sale.grab, 'coupon.seckill');
  await expect(sale.gate).toContainText('Held, pay within');

  await page.goto('/wallet');
  const order = page.getByRole('main').getByRole('listitem');
  await expect(order.getByRole('status').first()).toHaveText('Payment due');
  await expect(order.getByRole('code'), 'an unpaid order has no code').toHaveCount(0);
  await order.getByRole('button', { name: /^Pay €/ }).click();
  await expect(order.getByRole('status').first()).toHaveText('Paid');
  const code = (await order.getByRole('code').textContent()) ?? '';
  expect(code).toMatch(/\S{6,}/);
  const qr = order.getByRole('img', { name: `QR code of ${code}` });
  await expect(qr).toBeVisible();
  expect(await qr.evaluate(modulesOf)).toEqual(encode(code, { ecc: 'M', border: 2 }).data);
});

/** Runs in the page: returns the dark modules, by the colour in the middle of each. */
function modulesOf(svg: Element): boolean[][] {
  const size = Number(svg.getAttribute('viewBox')?.split(' ')[2]);
  const drawn = new Path2D(svg.querySelector('path')?.getAttribute('d') ?? '');
  const canvas = document.createElement('canvas').getContext('2d');
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => canvas?.isPointInPath(drawn, x + 0.5, y + 0.5) ?? false),
  );
}
