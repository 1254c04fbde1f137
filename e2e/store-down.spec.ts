import type { Page } from '@playwright/test';
import { expect } from './fixtures';
import { opsPage } from './ops-page';
import { test } from './own-floodgate';
import { expectNoViolations } from './page-checks';
import { salePage } from './sale-page';

test.use({ expectedStatuses: [503] });

const UNAVAILABLE = 'The service is unavailable right now. Try again in a moment.';

test('while Redis is down the gate refuses all calls with a message, and reopens by itself', async ({
  page,
  otherPage,
  floodgate,
}) => {
  const owner = salePage(page);
  await owner.open();
  await owner.grab.click();
  await expect(owner.gate).toContainText('Held, pay within');
  const title = (await owner.gate.getByRole('heading').textContent()) ?? '';
  const couponId = await findCouponId(page, title);

  const sale = salePage(otherPage);
  await otherPage.request.post('/api/trpc/auth.signInDemo', { data: {} });
  await otherPage.goto('/');
  await floodgate.redis.kill();
  // The open page closes its button as soon as it notices, so the calls do not use it.
  await expect(async () => {
    const refused = await otherPage.request.post('/api/trpc/coupon.seckill', { data: { couponId } });
    expect(refused.status()).toBe(503);
    expect((await refused.json()).error.message).toBe(
      'This cannot be answered right now. Try again in a moment.',
    );
  }).toPass();
  await expect(sale.grab).toHaveText('Paused');

  await page.getByRole('link', { name: 'Wallet' }).first().click();
  await expect(page.getByRole('listitem'), 'the wallet needs no Redis').toContainText(title);
  const pay = page.getByRole('button', { name: /^(Pay|Paused)/ });
  await expect(pay, 'a payment is a limited call').toHaveText('Paused');
  await expect(pay).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByRole('listitem')).toContainText(
    'You can’t pay right now, and the time keeps running.',
  );
  await page.goto('/');
  await expect(owner.next, 'a held coupon leads to its order, but offers no payment').toHaveText(
    'Held for you',
  );
  await expect(owner.gate, 'and does not urge to pay').toContainText(/Held for another 1\d:\d\d/);
  await expect(owner.gate).toContainText('You can’t pay right now, and the time keeps running.');
  await otherPage.goto('/');
  await expect(sale.gate).toContainText('Not available right now. Reopens automatically');
  await expect(sale.gate.getByText('Paused'), 'only the button states the pause').toHaveCount(1);
  await sale.openDock();
  for (const name of [/^Send \d+ shoppers$/, 'Tap 20×'])
    await expect(sale.dock.getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
  await expect(sale.dock).toContainText('Not available right now. Reopens automatically');

  await floodgate.redis.restart();
  await expect(sale.grab).toHaveText('Grab');
  const again = await page.request.post('/api/trpc/coupon.seckill', { data: { couponId } });
  expect((await again.json()).result.data, 'the gate is rebuilt from the ledger').toMatchObject({
    outcome: 'already-bought',
  });
  await expect(owner.next).toHaveText(/^Pay/);
});

/** Finds the newest coupon with this title. */
async function findCouponId(page: Page, title: string): Promise<string | undefined> {
  const { result } = await (await page.request.get('/api/trpc/coupon.list')).json();
  const coupons: { id: string; title: string; startsAt: number }[] = result.data.coupons;
  return coupons.filter((coupon) => coupon.title === title).toSorted((a, b) => b.startsAt - a.startsAt)[0]
    ?.id;
}

test('a frozen Redis closes the buttons of an open page at once, and its end opens them and clears the error', async ({
  page,
  floodgate,
}) => {
  const sale = salePage(page);
  await sale.openEmpty();
  await expect(sale.grab).toHaveText('Grab');
  floodgate.redis.freeze();
  try {
    await sale.grab.click();
    await expect(sale.gate).toContainText('The service is unavailable right now.');
    await expect(sale.grab).toHaveText('Paused', { timeout: 3_000 });
    await expect(sale.grab).toHaveAttribute('aria-disabled', 'true');
    await expect(page.getByText('Interrupted', { exact: true })).toBeVisible();
    const other = page.getByRole('region', { name: 'More flash coupons' }).getByRole('article').first();
    await expect(other, 'in the words of a page that is loaded now').toContainText(
      'Not available right now.',
    );
  } finally {
    floodgate.redis.thaw();
  }
  await expect(sale.grab).toHaveText('Grab', { timeout: 5_000 });
  await expect(sale.gate).not.toContainText('The service is unavailable right now.', { timeout: 1_000 });
  await expect(page.getByText('Interrupted', { exact: true })).toBeHidden();
});

test('while Postgres is down each page shows its own message, operators see what Redis has, and all recover by themselves', async ({
  page,
  otherPage: operator,
  floodgate,
}) => {
  const sale = salePage(page);
  await page.goto('/');
  await sale.grab.click();
  await expect(sale.next).toBeVisible();
  await opsPage(operator).open('/ops/who');

  await floodgate.postgres.kill();
  for (const [path, title] of [
    ['/wallet', 'We can’t load your wallet right now'],
    ['/?lang=zh', '抢购页面暂时打不开'],
    ['/?lang=en', 'We can’t load the sale right now'],
  ] as const) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(503);
    expect(response?.headers()['retry-after'], path).toBe('5');
    await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toHaveText(title);
    await expect(page.locator('html')).toHaveAttribute('lang', path.endsWith('zh') ? 'zh' : 'en');
    await expect(page.getByRole('banner').getByRole('link').first(), 'the header stays').toBeVisible();
  }
  await expect(page.getByText(/Trying again in \d\ss/)).toBeVisible();
  await expectNoViolations(page);
  await page.evaluate(() => document.documentElement.setAttribute('data-not-reloaded', ''));
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect(page.getByRole('button', { name: 'Try now' }), 'the retry has ended').not.toHaveAttribute(
    'aria-busy',
  );
  const merchants = await page.context().newPage();
  await merchants.goto('/merchants');
  await expect(
    merchants.getByRole('heading', { name: 'We can’t load the merchants right now' }),
  ).toBeVisible();
  await operator.goto('/ops/who');
  await expect(operator.getByRole('heading', { name: 'Most refused' })).toBeVisible();
  await expect(operator.getByText(UNAVAILABLE)).toBeVisible();

  await floodgate.postgres.restart();
  await expect(merchants.getByRole('main').getByRole('listitem').first()).toBeVisible();
  await expect(operator.getByRole('table', { name: 'Personal limits' })).toBeVisible();
  await expect(sale.next, 'without a click').toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('data-not-reloaded');
  await expect(
    page.getByRole('heading', { level: 1 }),
    'the focus moves from the removed button',
  ).toBeFocused();
});

test('a frozen Postgres delays a page by 2.5 s at most', async ({ request, floodgate }) => {
  await expect(async () => expect((await request.get('/')).status()).toBe(200)).toPass();
  floodgate.postgres.freeze();
  try {
    // Cached data is shown for a moment longer.
    await expect(async () => {
      const started = performance.now();
      const response = await request.get('/');
      expect(performance.now() - started).toBeLessThan(2_500);
      expect(response.status()).toBe(503);
    }).toPass();
  } finally {
    floodgate.postgres.thaw();
  }
  await expect(async () => expect((await request.get('/')).status()).toBe(200)).toPass();
});

test('an alert fires when Redis is down, is shown in every section, and clears when Redis is up; merchants are still found', async ({
  page,
  otherPage: visitor,
  floodgate,
}) => {
  await visitor.goto('/merchants');
  await expect(visitor.getByRole('listitem').first()).toBeVisible();
  await opsPage(page).open('/ops');
  const status = page.getByRole('main').getByRole('status');
  await expect(status.filter({ hasText: 'No active alerts.' })).toBeVisible();
  await expect(page.getByRole('main').getByText('healthy').first()).toBeVisible();

  await floodgate.redis.kill();
  await expect(status.filter({ hasText: 'Redis is unavailable.' })).toBeVisible();
  const headline = page.getByRole('region', { name: 'Traffic' }).getByRole('status');
  await expect(headline, 'a failing store leads').toContainText('Redis failing');
  await expect(headline).toContainText(/Without Redis, \d+ limits refuse all calls, /);
  await expect(headline).toContainText('Grey values are from before the outage.');
  await page.getByRole('button', { name: /^Show \d+ more limits$/ }).click();
  const signIn = page.getByRole('row', { name: 'auth.signInDemo' });
  await expect(signIn).toContainText(/\d+ \/ 600last known/);
  await expect(signIn, 'a row says what its limit does now').toContainText('refuses all calls');
  await expect(page.getByText('enforced', { exact: true })).toHaveCount(0);
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
    .getByRole('row', { name: /Redis or Postgres is slow or unavailable/ });
  await expect(rule).toContainText('Firing: Redis');

  await test.step('operators see what Postgres has', async () => {
    await sections.getByRole('link', { name: 'Sales' }).click();
    await expect(page.getByRole('heading', { name: 'Coupons' })).toBeVisible();
    await expect(page.getByText('Every purchase is recorded.')).toBeVisible();
  });
  await test.step('a search is answered, and the page shows that the node counts locally', async () => {
    await visitor.getByRole('searchbox').fill('noodle');
    await expect(visitor.getByRole('complementary')).toContainText(
      'The count is unknown for a moment. The limit still applies.',
    );
    await expect(visitor.getByRole('complementary'), 'the count is unknown').toContainText('– / 5 per 1 s');
    await expect(
      visitor
        .getByRole('listitem')
        .filter({ hasText: /noodle/i })
        .first(),
    ).toBeVisible();
  });

  await floodgate.redis.restart();
  await expect(page.getByText('No refund is due. Every purchase is recorded.')).toBeVisible();
  await sections.getByRole('link', { name: 'Alerts' }).click();
  await expect(status.filter({ hasText: 'No active alerts.' })).toBeVisible();
  await expect(rule).toContainText('Not firing');
  const before = page.getByRole('table', { name: 'Past alerts' }).getByRole('row').nth(1);
  await expect(before).toContainText('Redis is unavailable.');
  await expect(sections.getByRole('link', { name: 'Alerts' })).not.toContainText('firing');
  await page.goto('/ops/alerts?lang=zh');
  const rules = page.getByRole('table', { name: '规则' });
  await expect(rules.getByRole('row', { name: /Redis 或 Postgres 缓慢或不可用/ })).toContainText('未触发');
});
