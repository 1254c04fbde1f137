import { expect } from './fixtures';
import { test } from './own-floodgate';
import { deleteShifts, expectNoShift, recordShifts } from './page-shifts';
import { openWith, salePage, signInShopper } from './sale-page';

test.use({ expectedStatuses: [429] });

for (const viewport of [
  { width: 375, height: 812 },
  { width: 768, height: 1_024 },
  { width: 1_440, height: 900 },
]) {
  test.describe(`${viewport.width} px`, () => {
    test.use({ viewport });

    test('a coupon that a crowd sells out, and its next round, move nothing', async ({ page, floodgate }) => {
      const title = `A basket of cherries, ${viewport.width}`;
      await floodgate.addSale(title, { opensInMs: 0, stock: 1 });
      await signInShopper(page);
      await recordShifts(page);
      const sale = salePage(page);
      await openWith(sale.gate.getByRole('heading', { name: title }));
      await sale.openDock();
      await expect(sale.own('Claiming')).toHaveAttribute('aria-valuenow', '0');
      await deleteShifts(page);
      await sale.dock.getByRole('radio', { name: '50', exact: true }).check();
      await sale.dock.getByRole('button', { name: 'Send the crowd' }).click();
      await expect(sale.grab).toHaveText('Sold out');
      await expect(sale.dock).toContainText(/^.*50 shoppers: /, { timeout: 20_000 });
      await expect(sale.gate).toContainText('Next round within 30 s');
      await floodgate.endPause(title);
      await expect(sale.grab).toHaveText('Grab', { timeout: 20_000 });
      await floodgate.endSale(title);
      await expectNoShift(page, title);
    });
  });
}
