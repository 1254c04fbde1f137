import { expect } from './fixtures';
import { test } from './own-floodgate';
import { salePage } from './sale-page';

test.use({ expectedStatuses: [503] });

test('with its store down the gate lets nobody in, says so, and opens again by itself', async ({
  page,
  floodgate,
}) => {
  const sale = salePage(page);
  await page.goto('/');
  await sale.grab.click();
  await expect(sale.gate).toContainText('Yours, and confirmed.');
  const code = (await sale.gate.getByRole('code').textContent()) ?? '';

  await floodgate.redis.kill();
  await expect(async () => {
    await sale.grab.click();
    await expect(sale.gate).toContainText('The gate cannot reach its store', { timeout: 500 });
  }).toPass();

  await page.getByRole('link', { name: 'Wallet' }).first().click();
  await expect(page.getByRole('listitem').getByRole('code'), 'the ledger needs no store').toHaveText(code);
  await page.goto('/');
  await expect(sale.gate).toContainText('It opens again by itself.');

  await floodgate.redis.startAgain();
  await expect(sale.grab).toHaveText('Grab', { timeout: 20_000 });
  await sale.grab.click();
  await expect(sale.gate, 'rebuilt from the ledger').toContainText('You have this one already.');
  await expect(sale.gate.getByRole('code')).toHaveText(code);
});
