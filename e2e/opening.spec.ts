import { expect } from './fixtures';
import { test } from './own-floodgate';
import { salePage } from './sale-page';

test('a sale counts down to its opening, and the button opens by itself', async ({ page, floodgate }) => {
  const title = 'Supper on the roof';
  await floodgate.addSale(title, { opensInMs: 8_000 });
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
