import { expect } from './fixtures';
import { opsPage } from './ops-page';
import { test } from './own-floodgate';
import { salePage } from './sale-page';

test('an operator sets a limit for one caller, whose page shows it, and removes it', async ({
  page,
  otherPage: shopper,
}) => {
  const sale = salePage(shopper);
  await sale.open();
  const signedIn = await shopper.request.post('/api/trpc/auth.signInDemo', { data: { name: 'Person' } });
  const { id } = (await signedIn.json()).result.data.user;
  await shopper.reload();
  const claims = shopper.getByRole('region', { name: 'Claiming' });
  await expect(claims.getByRole('meter', { name: 'Your pace' })).toBeVisible();

  await opsPage(page).open('/ops/who');
  await page.getByRole('button', { name: 'Add a personal limit' }).click();
  const form = page.getByRole('dialog').getByRole('form', { name: 'Personal limit' });
  await form.getByLabel('Counted as').selectOption('coupon.claim:user');
  await form.getByLabel('Caller').fill(id);
  await form.getByLabel('Limit', { exact: true }).fill('7');
  await form.getByRole('button', { name: 'Set limit' }).click();
  await expect(form).toContainText('Fill this in.');
  await form.getByLabel('Reason').fill('a test');
  await form.getByRole('button', { name: 'Set limit' }).click();
  await expect(page.getByRole('dialog')).toBeHidden();

  const row = page
    .getByRole('table', { name: 'Personal limits' })
    .getByRole('row')
    .filter({ hasText: 'coupon.claim' });
  await expect(row).toContainText('7 per minute');
  await expect(claims.getByRole('meter', { name: 'Your limit: 7' })).toBeVisible();

  await test.step('the log names the rule in words', async () => {
    await page.getByRole('link', { name: 'Limits' }).click();
    const entry = page.getByRole('table', { name: 'Operator log' }).getByRole('row').nth(1);
    await expect(entry).toContainText('Personal limit set Claim any time · Each shopper');
    await expect(entry).toContainText('Rule default → personal limit');
    await expect(entry).toContainText('Limit 3 per minute (default) → 7 per minute');
    await page.getByRole('link', { name: 'Abuse' }).click();
  });

  await row.getByRole('button', { name: /^Remove/ }).click();
  await expect(row).toHaveCount(0);
  await expect(claims.getByRole('meter', { name: 'Your pace' })).toBeVisible();
  await page.getByRole('link', { name: 'Limits' }).click();
  const entry = page.getByRole('table', { name: 'Operator log' }).getByRole('row').nth(1);
  await expect(entry).toContainText('Rule personal limit → removed');
});

test('the VIP of the demo sees her own limit', async ({ page }) => {
  await page.goto('/');
  await page.request.post('/api/trpc/auth.signInDemo', { data: { name: 'Vera' } });
  await page.reload();
  const grabbing = page.getByRole('region', { name: 'Grabbing' });
  await expect(grabbing.getByRole('meter', { name: 'Your limit: 20' })).toBeVisible();
});
