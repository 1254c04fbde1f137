import { expect, test } from './fixtures';
import { salePage } from './sale-page';

test.use({ pglite: true });

test('on PGlite, a visitor buys and pays a coupon, and the wallet keeps it', async ({ page }) => {
  const sale = salePage(page);
  await sale.open();
  await sale.grab.click();
  await sale.next.click();
  await page.getByRole('button', { name: 'Pay €9.90' }).click();
  const order = page.getByRole('main').getByRole('article').first();
  await expect(order).toContainText('Ready to use');
  await page.reload();
  await expect(order).toContainText('Ready to use');
});
