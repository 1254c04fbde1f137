import { expect, test } from './fixtures';
import { opsPage } from './ops-page';

test('an operator closes and opens the queue of a level while no caller waits, by keyboard', async ({
  page,
}) => {
  const ops = opsPage(page);
  await ops.open('/ops');
  const everyone = ['coupon.seckill', 'Everyone'] as const;
  await expect(async () => {
    const quiet = page.getByRole('button', { name: /^Show \d+ quiet/ });
    if (await quiet.isVisible()) await quiet.click();
    await ops.openLevel(...everyone);
  }).toPass();
  const level = page.getByRole('region', { name: everyone.join(' ') });
  await expect(level).toContainText('No caller waits in the queue.');
  const queues = page.getByRole('table', { name: 'Queues' });
  await expect(queues).toBeHidden();

  const close = level.getByRole('button', { name: 'Close queue: Flash sale' });
  await expect(close).toHaveAccessibleDescription(
    'Closing it refuses new callers while the window is full. Waiting ones keep their turns.',
  );
  await close.focus();
  await page.keyboard.press('Enter');
  await expect(level).toContainText('closed');
  await expect(queues.getByRole('row', { name: /^Flash sale coupon\.seckill/ })).toContainText('closed');
  const open = level.getByRole('button', { name: 'Open queue: Flash sale' });
  await expect(open).toBeFocused();
  await expect(open).toHaveAccessibleDescription(/^Closed: new callers are refused/);

  await page.keyboard.press('Enter');
  await expect(level.getByText('closed', { exact: true })).toBeHidden();
  await expect(queues).toBeHidden();
});
