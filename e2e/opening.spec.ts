import { expect } from './fixtures';
import { test } from './own-floodgate';
import { salePage } from './sale-page';

test('a sale counts down to its opening, and the button opens by itself', async ({ page, floodgate }) => {
  const title = 'Supper on the roof';
  await floodgate.addSale(title, { opensInMs: 6_000 });
  await page.goto('/');
  const supper = salePage(page).coupon(title);
  const button = supper.getByRole('button').first();
  await expect(button).toHaveText(/^Opens in \d+ s$/);
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await expect(supper).toContainText('Starting soon');

  // Ten thousand clocks come to this moment at once.
  await expect(button).toHaveText(/^Opens in [12] s$/);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await expect(button).toHaveText('Grab');
  expect(asked, 'the opening itself asks the server for nothing').toEqual([]);
  await expect(button).not.toHaveAttribute('aria-disabled', 'true');
  await button.click();
  await expect(supper).toContainText('Yours, and confirmed.');
  await expect(supper).toContainText('19 of 20 left');
});
