import { expect } from './fixtures';
import { opsPage } from './ops-page';
import { test } from './own-floodgate';

test.use({ expectedStatuses: [503] });

test('an alert fires when Redis is down, is shown in every section, and clears when Redis is up', async ({
  page,
  floodgate,
}) => {
  await opsPage(page).open('/ops');
  const status = page.getByRole('main').getByRole('status');
  await expect(status.filter({ hasText: 'No active alerts.' })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByRole('main').getByText('healthy').first()).toBeVisible();

  await floodgate.redis.kill();
  await expect(status.filter({ hasText: 'Redis is unavailable.' })).toBeVisible({ timeout: 20_000 });
  const headline = page.getByRole('region', { name: 'Traffic' }).getByRole('status');
  await expect(headline, 'a failing store leads').toContainText('Redis failing');
  await expect(headline).toContainText(/Without Redis, \d+ limits refuse all calls, /);
  await expect(headline).toContainText('Grey values are from before the outage.');
  const signIn = page.getByRole('row', { name: 'auth.signInDemo' });
  await expect(signIn).toContainText(/\d+ \/ 600last known/);
  await expect(signIn, 'a row says what its limit does now').toContainText('refuses all calls');
  await expect(page.getByText('enforced', { exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: /^Show \d+ more limits$/ }).click();
  await expect(page.getByRole('row', { name: 'merchant' })).toContainText('counts on each node');
  await expect(page.getByRole('button', { name: /^Hide \d+ limits$/ })).toBeVisible();
  await expect(page.getByLabel('Health')).toContainText(/Nodes1 nodelast known.*Sale pages\d+last known/);
  const sections = page.getByRole('navigation', { name: 'Operations' });
  await expect(sections.getByRole('link', { name: 'Alerts' })).toContainText('1 firing');
  await sections.getByRole('link', { name: 'Limits' }).click();
  await expect(page.getByRole('main')).toContainText('Redis is unavailable. Until it is back, ');
  await expect(signIn, 'no limit counts as enforced').toContainText('refuses all calls');
  await sections.getByRole('link', { name: 'Alerts' }).click();
  const rule = page
    .getByRole('table', { name: 'Rules' })
    .getByRole('row', { name: /Redis or Postgres is unavailable/ });
  await expect(rule).toContainText('Firing: Redis');

  await floodgate.redis.restart();
  await expect(status.filter({ hasText: 'No active alerts.' })).toBeVisible({ timeout: 30_000 });
  await expect(rule).toContainText('Not firing');
  const before = page.getByRole('table', { name: 'Past alerts' }).getByRole('row').nth(1);
  await expect(before).toContainText('Redis is unavailable.');
  await expect(sections.getByRole('link', { name: 'Alerts' })).not.toContainText('firing');
  await page.goto('/ops/alerts?lang=zh');
  const rules = page.getByRole('table', { name: '规则' });
  await expect(rules.getByRole('row', { name: /Redis 或 Postgres 不可用/ })).toContainText('未触发');
});
