import { expect, test } from './fixtures';
import { salePage } from './sale-page';

const staleText = 'No live updates. Numbers may be old.';

test('a silent stream is shown as stale, and recovers by itself', async ({ page }) => {
  const event = {
    serverNow: Date.now(),
    windows: [{ policy: 'coupon.seckill', level: 'global', limit: 100, windowMs: 10_000, used: 0, hits: [] }],
    rates: [],
    stock: [],
  };
  let opened = 0;
  await page.route('**/api/live', (route) => {
    opened += 1;
    const body = opened === 1 ? `event: windows\ndata: ${JSON.stringify(event)}\n\n` : ':\n\n';
    return route.fulfill({ contentType: 'text/event-stream', body });
  });
  const sale = salePage(page);
  await page.goto('/');
  await expect(page.getByText(staleText)).toBeVisible();
  await expect(page.getByText('Interrupted')).toBeVisible();
  await expect(sale.everyone, 'the last count stays').toHaveAttribute('aria-valuenow', '0');
  await expect(sale.grab, 'in the words of an unreadable store').toHaveText('Paused', { timeout: 15_000 });
  await expect(sale.gate).toContainText('Not available right now.');

  await page.unroute('**/api/live');
  await expect(page.getByText(staleText)).toBeHidden({ timeout: 15_000 });
  await expect(sale.grab).toHaveText('Grab');
});
